#include "tessera/pipeline/verbs/module/kernel_list.h"

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/repeated_field.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/layout/leaves.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/target/memory_spaces.h"
#include "tessera/target/stated/stated_kernels.h"

namespace tessera::pipeline {
namespace {

using answers::CustomKernel;
using layout::FormatBytes;
using Arrays = google::protobuf::RepeatedPtrField<answers::KernelArray>;
using Memories = google::protobuf::RepeatedPtrField<answers::KernelMemory>;

void AddArrays(const layout::Shape& shape, Arrays* arrays) {
  for (const layout::Shape* leaf : layout::LeafShapes(shape)) {
    const auto sizes = layout::SizesOf(*leaf);
    answers::KernelArray* array = arrays->Add();
    array->set_shape(layout::ShapeToString(*leaf));
    array->set_memory(
        target::MemorySpaceName(leaf->has_layout() ? leaf->layout().memory_space : 0));
    array->set_bytes(sizes.ok() ? sizes->alloc_bytes : 0);
  }
}

void FillArrays(const hlo::Module& module, hlo::InstructionId id, CustomKernel* kernel) {
  for (const hlo::InstructionId operand : module.operands(id)) {
    AddArrays(module.shape(operand), kernel->mutable_operands());
  }
  AddArrays(module.shape(id), kernel->mutable_results());
  layout::LeafNumbers numbers;
  for (const hlo::OperandAlias& alias : hlo::GetAliasing(module, id)) {
    const int leaf = static_cast<int>(numbers.Of(module.shape(id), alias.output_index));
    if (leaf < kernel->results_size()) kernel->mutable_results(leaf)->set_operand(alias.operand);
  }
}

void FillMemory(const std::vector<target::StatedBytes>& stated, Memories* memory) {
  for (const target::StatedBytes& part : stated) {
    answers::KernelMemory* one = memory->Add();
    one->set_memory(target::MemorySpaceName(part.space));
    one->set_bytes(part.bytes);
  }
}

void FillCost(const target::StatedCost& stated, answers::KernelCost* cost) {
  cost->set_flops(stated.flops);
  cost->set_transcendentals(stated.transcendentals);
  cost->set_bytes(stated.bytes);
  cost->set_remote_bytes(stated.remote_bytes);
}

void FillGrid(const target::StatedGrid& stated, answers::KernelGrid* grid) {
  *grid->mutable_blocks() = {stated.blocks.begin(), stated.blocks.end()};
  grid->set_warps(stated.warps);
  grid->set_stages(stated.stages);
}

void FillStated(const target::StatedKernel& stated, CustomKernel* kernel) {
  kernel->set_target(stated.target);
  kernel->set_kernel(stated.name);
  FillMemory(stated.scratch, kernel->mutable_scratch());
  FillMemory(stated.limit, kernel->mutable_limit());
  if (stated.cost.has_value()) FillCost(*stated.cost, kernel->mutable_cost());
  if (stated.grid.has_value()) FillGrid(*stated.grid, kernel->mutable_grid());
  kernel->set_communicates(stated.has_communication);
  kernel->set_has_side_effect(stated.has_side_effect);
}

std::string BytesText(const Memories& memory) {
  return absl::StrJoin(memory, ", ", [](std::string* out, const answers::KernelMemory& part) {
    absl::StrAppend(out, FormatBytes(part.bytes()), " of ", part.memory());
  });
}

std::string ScratchText(const CustomKernel& kernel) {
  const std::string used = kernel.scratch().empty() ? "not stated" : BytesText(kernel.scratch());
  return kernel.limit().empty() ? used : absl::StrCat(used, "; limit ", BytesText(kernel.limit()));
}

std::string CostText(const CustomKernel& kernel) {
  if (!kernel.has_cost()) {
    return absl::StrCat("not stated; cost --kernel-cost=", kernel.target(),
                        "=FLOPS,BYTES gives one");
  }
  const answers::KernelCost& cost = kernel.cost();
  std::string text = absl::StrFormat("%.3g flops, %s read and written", cost.flops(),
                                     FormatBytes(static_cast<int64_t>(cost.bytes())));
  if (cost.remote_bytes() > 0) {
    absl::StrAppend(&text, ", ", FormatBytes(static_cast<int64_t>(cost.remote_bytes())), " sent");
  }
  return absl::StrCat(text, ", by its author's estimate");
}

std::string GridText(const answers::KernelGrid& grid) {
  return absl::StrCat(absl::StrJoin(grid.blocks(), " x "), " blocks of ", grid.warps(), " warps, ",
                      grid.stages(), " stages");
}

void AppendRow(absl::string_view what, absl::string_view text, std::string* out) {
  absl::StrAppendFormat(out, "%12s%-9s%s\n", "", what, text);
}

void AppendArrays(absl::string_view what, const Arrays& arrays, std::string* out) {
  for (const answers::KernelArray& array : arrays) {
    std::string text =
        absl::StrCat(array.shape(), "  ", FormatBytes(array.bytes()), " of ", array.memory());
    if (array.has_operand()) absl::StrAppend(&text, ", that of operand ", array.operand());
    AppendRow(what, text, out);
  }
}

void AppendKernel(const CustomKernel& kernel, std::string* out) {
  absl::StrAppend(out, "          ", kernel.name(), " ", kernel.target(),
                  kernel.kernel().empty() ? "" : absl::StrCat(" ", kernel.kernel()),
                  kernel.op_name().empty() ? "" : absl::StrCat(", ", kernel.op_name()),
                  kernel.location().empty() ? "" : absl::StrCat("  # ", kernel.location()), "\n");
  AppendArrays("operand", kernel.operands(), out);
  AppendArrays("result", kernel.results(), out);
  AppendRow("scratch", ScratchText(kernel), out);
  AppendRow("cost", CostText(kernel), out);
  if (kernel.has_grid()) AppendRow("grid", GridText(kernel.grid()), out);
  if (kernel.communicates()) AppendRow("sends", "to other devices", out);
  if (kernel.has_side_effect()) AppendRow("effect", "it runs though nothing reads it", out);
}

}  // namespace

void FillKernels(const hlo::Module& module, answers::StatsAnswer* stats) {
  const std::vector<target::StatedKernel> stated = target::StatedKernels(module);
  if (stated.empty()) return;
  const SourceLocations locations(module);
  for (const target::StatedKernel& one : stated) {
    CustomKernel* kernel = stats->add_kernels();
    kernel->set_name(std::string(module.instruction(one.instruction).name));
    kernel->set_op_name(hlo::GetOpName(module, one.instruction));
    kernel->set_location(locations.UsersOwn(one.instruction));
    FillArrays(module, one.instruction, kernel);
    FillStated(one, kernel);
  }
}

std::string KernelsText(const answers::StatsAnswer& stats) {
  std::string out;
  if (stats.kernels().empty()) return out;
  out = "\nkernels whose code is not XLA's\n";
  for (const CustomKernel& kernel : stats.kernels()) AppendKernel(kernel, &out);
  return out;
}

}  // namespace tessera::pipeline
