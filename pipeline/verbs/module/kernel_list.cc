#include "tessera/pipeline/verbs/module/kernel_list.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/layout/leaves.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/target/memory_spaces.h"

namespace tessera::pipeline {
namespace {

using layout::FormatBytes;

void AddArrays(const layout::Shape& shape, std::vector<KernelArray>* arrays) {
  for (const layout::Shape* leaf : layout::LeafShapes(shape)) {
    const auto sizes = layout::SizesOf(*leaf);
    const int64_t space = leaf->has_layout() ? leaf->layout().memory_space : 0;
    arrays->push_back({layout::ShapeToString(*leaf), target::MemorySpaceName(space),
                       sizes.ok() ? sizes->alloc_bytes : 0, -1});
  }
}

ListedKernel ListedOf(const hlo::Module& module, target::StatedKernel stated,
                      const SourceLocations& locations) {
  const hlo::InstructionId id = stated.instruction;
  ListedKernel kernel;
  kernel.name = std::string(module.instruction(id).name);
  kernel.op_name = hlo::GetOpName(module, id);
  kernel.location = locations.UsersOwn(id);
  for (const hlo::InstructionId operand : module.operands(id)) {
    AddArrays(module.shape(operand), &kernel.operands);
  }
  AddArrays(module.shape(id), &kernel.results);
  layout::LeafNumbers numbers;
  for (const hlo::OperandAlias& alias : hlo::GetAliasing(module, id)) {
    const size_t leaf = numbers.Of(module.shape(id), alias.output_index);
    if (leaf < kernel.results.size()) kernel.results[leaf].operand = alias.operand;
  }
  kernel.stated = std::move(stated);
  return kernel;
}

std::string BytesText(const std::vector<target::StatedBytes>& memory) {
  return absl::StrJoin(memory, ", ", [](std::string* out, const target::StatedBytes& part) {
    absl::StrAppend(out, FormatBytes(part.bytes), " of ", target::MemorySpaceName(part.space));
  });
}

std::string ScratchText(const target::StatedKernel& kernel) {
  const std::string used = kernel.scratch.empty() ? "not stated" : BytesText(kernel.scratch);
  return kernel.limit.empty() ? used : absl::StrCat(used, "; limit ", BytesText(kernel.limit));
}

std::string CostText(const target::StatedKernel& kernel) {
  if (!kernel.cost.has_value()) {
    return absl::StrCat("not stated; cost --kernel-cost=", kernel.target, "=FLOPS,BYTES gives one");
  }
  const target::StatedCost& cost = *kernel.cost;
  std::string text = absl::StrFormat("%.3g flops, %s read and written", cost.flops,
                                     FormatBytes(static_cast<int64_t>(cost.bytes)));
  if (cost.remote_bytes > 0) {
    absl::StrAppend(&text, ", ", FormatBytes(static_cast<int64_t>(cost.remote_bytes)), " sent");
  }
  return absl::StrCat(text, ", by its author's estimate");
}

std::string GridText(const target::StatedGrid& grid) {
  return absl::StrCat(absl::StrJoin(grid.blocks, " x "), " blocks of ", grid.warps, " warps, ",
                      grid.stages, " stages");
}

void AppendRow(absl::string_view what, absl::string_view text, std::string* out) {
  absl::StrAppendFormat(out, "%12s%-9s%s\n", "", what, text);
}

void AppendArrays(absl::string_view what, const std::vector<KernelArray>& arrays,
                  std::string* out) {
  for (const KernelArray& array : arrays) {
    std::string text =
        absl::StrCat(array.shape, "  ", FormatBytes(array.bytes), " of ", array.memory);
    if (array.operand >= 0) absl::StrAppend(&text, ", that of operand ", array.operand);
    AppendRow(what, text, out);
  }
}

void AppendKernel(const ListedKernel& kernel, std::string* out) {
  absl::StrAppend(out, "          ", kernel.name, " ", kernel.stated.target,
                  kernel.stated.name.empty() ? "" : absl::StrCat(" ", kernel.stated.name),
                  kernel.op_name.empty() ? "" : absl::StrCat(", ", kernel.op_name),
                  kernel.location.empty() ? "" : absl::StrCat("  # ", kernel.location), "\n");
  AppendArrays("operand", kernel.operands, out);
  AppendArrays("result", kernel.results, out);
  AppendRow("scratch", ScratchText(kernel.stated), out);
  AppendRow("cost", CostText(kernel.stated), out);
  if (kernel.stated.grid.has_value()) AppendRow("grid", GridText(*kernel.stated.grid), out);
  if (kernel.stated.has_communication) AppendRow("sends", "to other devices", out);
  if (kernel.stated.has_side_effect) AppendRow("effect", "it runs though nothing reads it", out);
}

void PutArrays(absl::string_view key, const std::vector<KernelArray>& arrays,
               text::JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const KernelArray& array : arrays) {
    json->BeginObject().Key("shape").String(array.shape).Key("memory").String(array.memory);
    json->Key("bytes").Int(array.bytes);
    if (array.operand >= 0) json->Key("operand").Int(array.operand);
    json->EndObject();
  }
  json->EndArray();
}

void PutBytes(absl::string_view key, const std::vector<target::StatedBytes>& memory,
              text::JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const target::StatedBytes& part : memory) {
    json->BeginObject().Key("memory").String(target::MemorySpaceName(part.space));
    json->Key("bytes").Int(part.bytes).EndObject();
  }
  json->EndArray();
}

void PutStated(const target::StatedKernel& stated, text::JsonWriter* json) {
  PutBytes("scratch", stated.scratch, json);
  PutBytes("limit", stated.limit, json);
  if (stated.cost.has_value()) {
    json->Key("cost").BeginObject().Key("flops").Double(stated.cost->flops);
    json->Key("transcendentals").Double(stated.cost->transcendentals);
    json->Key("bytes").Double(stated.cost->bytes);
    json->Key("remote_bytes").Double(stated.cost->remote_bytes).EndObject();
  }
  if (stated.grid.has_value()) {
    json->Key("grid").BeginObject().Key("blocks").BeginArray();
    for (const int64_t blocks : stated.grid->blocks) json->Int(blocks);
    json->EndArray().Key("warps").Int(stated.grid->warps);
    json->Key("stages").Int(stated.grid->stages).EndObject();
  }
  json->Key("communicates").Bool(stated.has_communication);
  json->Key("has_side_effect").Bool(stated.has_side_effect);
}

}  // namespace

std::vector<ListedKernel> ListKernels(const hlo::Module& module) {
  std::vector<ListedKernel> kernels;
  std::vector<target::StatedKernel> stated = target::StatedKernels(module);
  if (stated.empty()) return kernels;
  const SourceLocations locations(module);
  for (target::StatedKernel& kernel : stated) {
    kernels.push_back(ListedOf(module, std::move(kernel), locations));
  }
  return kernels;
}

std::string KernelsText(const std::vector<ListedKernel>& kernels) {
  std::string out;
  if (kernels.empty()) return out;
  out = "\nkernels whose code is not XLA's\n";
  for (const ListedKernel& kernel : kernels) AppendKernel(kernel, &out);
  return out;
}

void PutKernels(const std::vector<ListedKernel>& kernels, text::JsonWriter* json) {
  json->Key("kernels").BeginArray();
  for (const ListedKernel& kernel : kernels) {
    json->BeginObject().Key("name").String(kernel.name);
    json->Key("target").String(kernel.stated.target);
    json->TextUnlessEmpty("kernel", kernel.stated.name);
    json->TextUnlessEmpty("op_name", kernel.op_name);
    json->TextUnlessEmpty("location", kernel.location);
    PutArrays("operands", kernel.operands, json);
    PutArrays("results", kernel.results, json);
    PutStated(kernel.stated, json);
    json->EndObject();
  }
  json->EndArray();
}

}  // namespace tessera::pipeline
