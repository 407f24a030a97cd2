#include "tessera/pipeline/verbs/project_request.h"

#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tessera/hlo/verifier.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/projection/cost/device_tiles.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/projection/split.h"
#include "tessera/sharding/graph/sharding_access.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using projection::Signature;
using projection::ZRange;

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

// AXIS:PARTS, the axis by its number.
absl::StatusOr<std::vector<ZRange>> ParseCut(const std::string& text, const Signature& s) {
  const std::vector<std::string> parts = absl::StrSplit(text, ':');
  int64_t axis, count;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &axis) ||
      !absl::SimpleAtoi(parts[1], &count) || count < 1) {
    return Bad("cut", text, "DIMENSION:PARTS, such as 0:4");
  }
  TESSERA_ASSIGN_OR_RETURN(int dim, projection::NormalizeDim(axis, s.index.rank()));
  const projection::Axis& a = s.axes[static_cast<size_t>(dim)];
  if (a.kind != projection::AxisKind::kParallel) {
    return Bad("cut", text,
               absl::StrCat("a dimension that can be cut; ", dim, " is ",
                            projection::AxisKindName(a.kind), s.note.empty() ? "" : ": ", s.note));
  }
  if (count > 4096) return Bad("cut", text, "at most 4096 parts");
  return projection::SplitEven(s.index, dim, count);
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

// Where each array lies after propagation.
class Placement {
 public:
  static absl::StatusOr<Placement> Create(const hlo::Module& module, const Arguments& arguments) {
    TESSERA_ASSIGN_OR_RETURN(ShardOptions options, ReadPropagationOptions(arguments));
    Placement p;
    TESSERA_ASSIGN_OR_RETURN(p.sharded_, Propagate(module, options));
    return p;
  }

  // Null: whole on every device. The instruction is found by name, for the module may have been
  // cleaned.
  const sharding::TensorSharding* Of(absl::string_view name, int leaf) const {
    const hlo::InstructionId id = sharded_->module.FindInstruction(name);
    if (id == hlo::kNoId) return nullptr;
    sharding::graph::Graph& graph = *sharded_->graph;
    for (sharding::graph::LeafTable& table : graph.leaf_tables()) {
      if (table.block()->source != sharded_->module.instruction(id).computation) continue;
      const auto leaves = table.Get(id);
      if (static_cast<size_t>(leaf) >= leaves.size()) continue;
      const sharding::graph::Value* value = leaves[static_cast<size_t>(leaf)]->Resolve();
      if (value != nullptr) return graph.Find(sharding::graph::EffectiveSharding(graph, value));
    }
    return nullptr;
  }

  const sharding::Mesh* mesh() const {
    const sharding::MeshTable& meshes = sharded_->graph->meshes();
    for (sharding::MeshId id = 0; id < meshes.size(); ++id) {
      if (meshes.mesh(id).num_axes() > 0) return &meshes.mesh(id);
    }
    return nullptr;
  }

 private:
  std::unique_ptr<Sharded> sharded_;
};

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
  TESSERA_ASSIGN_OR_RETURN(Placement placement, Placement::Create(module, arguments));
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
  if (arguments.Has("block") + arguments.Has("cut") + arguments.Has("device") > 1) {
    return absl::InvalidArgumentError("--block, --cut and --device exclude each other");
  }
  ProjectAnswer answer;
  answer.instruction = name;
  TESSERA_ASSIGN_OR_RETURN(answer.signature, projection::SignatureOf(module, id));
  const Signature& s = answer.signature;
  std::vector<ZRange> blocks = {s.index};
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
