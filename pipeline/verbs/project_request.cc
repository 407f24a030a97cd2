#include "tessera/pipeline/verbs/project_request.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tessera/hlo/verifier.h"
#include "tessera/pipeline/placement.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/projection/cost/device_tiles.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/projection/split.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using projection::Signature;
using projection::ZRange;

constexpr int64_t kMostParts = 4096;

absl::Status Bad(absl::string_view flag, absl::string_view text, absl::string_view form) {
  return absl::InvalidArgumentError(absl::StrCat("--", flag, "=", text, ": expected ", form));
}

// 0:8,0:4 of the index space.
absl::StatusOr<ZRange> ParseBlock(const std::string& text, const Signature& s) {
  absl::StatusOr<ZRange> block = ZRange::Parse(absl::StrCat("zr[", text, "]"));
  if (!block.ok()) return Bad("block", text, "START:END for each dimension, such as 0:8,0:4");
  if (s.index.Contains(*block)) return block;
  return Bad("block", text, absl::StrCat("a part of the result, ", s.index.ToString()));
}

// An axis by its number, from the end if negative, or by its name.
absl::StatusOr<int> AxisOf(const std::string& text, const Signature& s) {
  int64_t axis;
  if (absl::SimpleAtoi(text, &axis)) return projection::NormalizeDim(axis, s.index.rank());
  for (size_t c = 0; c < s.axes.size(); ++c) {
    if (s.axes[c].name == text) return static_cast<int>(c);
  }
  return absl::NotFoundError(absl::StrCat("no axis '", text, "'"));
}

// AXIS:PARTS, several with commas: the parts of every combination.
absl::StatusOr<std::vector<ZRange>> ParseCut(const std::string& text, const Signature& s) {
  std::vector<int64_t> parts(static_cast<size_t>(s.index.rank()), 1);
  int64_t all = 1;
  for (absl::string_view one : absl::StrSplit(text, ',')) {
    const std::vector<std::string> pair = absl::StrSplit(one, ':');
    int64_t count;
    if (pair.size() != 2 || !absl::SimpleAtoi(pair[1], &count) || count < 1)
      return Bad("cut", text, "AXIS:PARTS, such as 0:4 or 0:2,1:2");
    TESSERA_ASSIGN_OR_RETURN(const int axis, AxisOf(pair[0], s));
    const projection::Axis& a = s.axes[static_cast<size_t>(axis)];
    if (a.kind != projection::AxisKind::kParallel) {
      return Bad(
          "cut", text,
          absl::StrCat("an axis that can be cut; ", pair[0], " is ",
                       projection::AxisKindName(a.kind), s.note.empty() ? "" : ": ", s.note));
    }
    if (count > kMostParts || (all *= count) > kMostParts)
      return Bad("cut", text, absl::StrCat("at most ", kMostParts, " parts"));
    parts[static_cast<size_t>(axis)] = count;
  }
  return projection::SplitGrid(s.index, parts);
}

// Parts and, with --memory, the bytes that one may take.
absl::StatusOr<std::vector<projection::CutChoice>> BestCuts(const hlo::Module& module,
                                                            hlo::InstructionId id,
                                                            const Signature& s,
                                                            const Arguments& arguments) {
  int64_t parts;
  projection::CutLimits limits;
  if (!absl::SimpleAtoi(arguments.Get("best"), &parts) || parts < 1 || parts > kMostParts)
    return Bad("best", arguments.Get("best"), absl::StrCat("a number from 1 to ", kMostParts));
  if (arguments.Has("memory") &&
      (!absl::SimpleAtoi(arguments.Get("memory"), &limits.memory) || limits.memory < 0))
    return Bad("memory", arguments.Get("memory"), "a number of bytes");
  projection::ElementBytes bytes;
  for (hlo::InstructionId operand : module.operands(id)) {
    for (const layout::Shape* leaf : projection::ArrayLeaves(module.shape(operand)))
      bytes.operands.push_back(layout::ByteWidth(leaf->element_type()));
  }
  const layout::Shape& result = *projection::ArrayLeaves(module.shape(id))[0];
  bytes.results.assign(s.results.size(), layout::ByteWidth(result.element_type()));
  TESSERA_ASSIGN_OR_RETURN(std::vector<projection::CutChoice> cuts,
                           projection::ChooseCuts(s, bytes, parts, limits));
  if (cuts.empty()) return absl::NotFoundError(absl::StrCat("no cut into ", parts, " parts fits"));
  return cuts;
}

absl::StatusOr<ProjectedBlock> Regions(const hlo::Module& module, hlo::InstructionId id,
                                       const Signature& s, const ZRange& block) {
  ProjectedBlock out{block, {}};
  TESSERA_ASSIGN_OR_RETURN(std::vector<projection::Need> needs, projection::Project(s, block));
  size_t entry = 0;
  for (hlo::InstructionId operand : module.operands(id)) {
    const auto leaves = projection::ArrayLeaves(module.shape(operand));
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf, ++entry) {
      ProjectedOperand o;
      o.name = std::string(module.instruction(operand).name);
      if (leaves.size() > 1) absl::StrAppend(&o.name, "{", leaf, "}");
      o.shape = s.operands[entry].shape;
      o.need = std::move(needs[entry]);
      TESSERA_ASSIGN_OR_RETURN(int64_t cells, o.need.cells.size());
      o.bytes = cells * layout::ByteWidth(leaves[leaf]->element_type());
      o.missing = projection::ZSet(o.shape.rank());
      out.operands.push_back(std::move(o));
    }
  }
  return out;
}

absl::StatusOr<int64_t> PositionOf(const projection::DeviceGrid& grid, const std::string& text) {
  int64_t device;
  if (absl::SimpleAtoi(text, &device)) {
    for (int64_t position = 0; position < grid.num_devices(); ++position) {
      if (grid.DeviceAt(position) == device) return position;
    }
  }
  return Bad("device", text, absl::StrCat("the number of one of ", grid.num_devices(), " devices"));
}

absl::StatusOr<ProjectedBlock> OnDevice(const hlo::Module& module, hlo::InstructionId id,
                                        const Signature& s, const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(ShardOptions options, ReadPropagationOptions(arguments));
  TESSERA_ASSIGN_OR_RETURN(Placement placement, Placement::Create(module, options));
  if (placement.mesh() == nullptr) {
    return absl::InvalidArgumentError("--device needs a mesh: --mesh=data=4,model=2");
  }
  const projection::DeviceGrid grid(*placement.mesh());
  TESSERA_ASSIGN_OR_RETURN(int64_t position, PositionOf(grid, arguments.Get("device")));
  const auto tile = [&](const projection::ZPoint& shape, absl::string_view name,
                        int leaf) -> absl::StatusOr<ZRange> {
    const sharding::TensorSharding* placed = placement.Of(name, leaf);
    return placed == nullptr ? ZRange::FromShape(shape) : grid.Tile(shape, *placed, position);
  };
  TESSERA_ASSIGN_OR_RETURN(ZRange block, tile(s.index.shape(), module.instruction(id).name, 0));
  TESSERA_ASSIGN_OR_RETURN(ProjectedBlock out, Regions(module, id, s, block));
  size_t entry = 0;
  for (hlo::InstructionId operand : module.operands(id)) {
    const auto leaves = projection::ArrayLeaves(module.shape(operand));
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf, ++entry) {
      ProjectedOperand& o = out.operands[entry];
      TESSERA_ASSIGN_OR_RETURN(
          o.own, tile(o.shape, module.instruction(operand).name, static_cast<int>(leaf)));
      TESSERA_ASSIGN_OR_RETURN(o.missing, o.need.cells.Subtract(projection::ZSet::OfBox(*o.own)));
      TESSERA_ASSIGN_OR_RETURN(int64_t cells, o.missing.size());
      o.missing_bytes = cells * layout::ByteWidth(leaves[leaf]->element_type());
    }
  }
  return out;
}

}  // namespace

absl::StatusOr<ProjectAnswer> AnswerProject(const hlo::Module& module, const Arguments& arguments) {
  const text::Diagnostics found = hlo::VerifyModule(module);
  if (!found.ok()) return found.ToStatus(*module.text());
  const std::string& name = arguments.positional(1);
  const hlo::InstructionId id = module.FindInstruction(name);
  if (id == hlo::kNoId)
    return absl::NotFoundError(absl::StrCat("the module has no instruction '", name, "'"));
  if (arguments.Has("block") + arguments.Has("cut") + arguments.Has("device") +
          arguments.Has("best") >
      1) {
    return absl::InvalidArgumentError("--block, --cut, --device and --best exclude each other");
  }
  ProjectAnswer answer;
  answer.instruction = name;
  TESSERA_ASSIGN_OR_RETURN(answer.signature, projection::SignatureOf(module, id));
  const Signature& s = answer.signature;
  std::vector<ZRange> blocks = {s.index};
  if (arguments.Has("best")) {
    TESSERA_ASSIGN_OR_RETURN(answer.cuts, BestCuts(module, id, s, arguments));
    return answer;
  }
  if (arguments.Has("device")) {
    TESSERA_ASSIGN_OR_RETURN(ProjectedBlock one, OnDevice(module, id, s, arguments));
    answer.blocks.push_back(std::move(one));
    return answer;
  }
  if (arguments.Has("block")) {
    TESSERA_ASSIGN_OR_RETURN(blocks[0], ParseBlock(arguments.Get("block"), s));
  } else if (arguments.Has("cut")) {
    TESSERA_ASSIGN_OR_RETURN(blocks, ParseCut(arguments.Get("cut"), s));
  }
  for (const ZRange& block : blocks) {
    TESSERA_ASSIGN_OR_RETURN(ProjectedBlock one, Regions(module, id, s, block));
    answer.blocks.push_back(std::move(one));
  }
  return answer;
}

}  // namespace tessera::pipeline
