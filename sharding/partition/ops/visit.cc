#include "tessera/sharding/partition/ops/visit.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/rules/op_traits.h"

namespace tessera::sharding::partition {
namespace {

Shape ShardShapesFrom(const Shape& shape, absl::Span<const Tiling> leaves, int64_t& next) {
  if (!shape.is_tuple()) return ShardShape(shape, At(leaves, next++));
  std::vector<Shape> elements;
  elements.reserve(shape.tuple_elements().size());
  for (const Shape& element : shape.tuple_elements()) {
    elements.push_back(ShardShapesFrom(element, leaves, next));
  }
  return Shape::Tuple(std::move(elements));
}

NodeId ReshardFrom(NodeId node, const Shape& base, DeviceGroupScope& scope,
                   absl::Span<const Tiling> from, absl::Span<const Tiling> to, int64_t& next) {
  Graph& graph = scope.graph();
  if (!base.is_tuple()) {
    const int64_t leaf = next++;
    if (At(from, leaf) == At(to, leaf)) return node;
    return Reshard({node, base, At(from, leaf), &scope}, At(to, leaf)).node;
  }
  std::vector<NodeId> elements;
  for (int64_t i = 0; i < Size(base.tuple_elements()); ++i) {
    elements.push_back(
        ReshardFrom(graph.Element(node, i), At(base.tuple_elements(), i), scope, from, to, next));
  }
  return graph.AddTuple(elements);
}

}  // namespace

bool Visit::OnOneDevice() const { return tiling().IsSingle() && LeavesAgree(); }

bool Visit::LeavesAgree() const {
  return std::all_of(leaves.begin(), leaves.end(),
                     [this](const Tiling& leaf) { return leaf == leaves.front(); });
}

Shape Visit::shard_shape() const { return ShardShapes(*base, leaves); }

PartitionedHlo Visit::operand(size_t i) const {
  const PartitionedLeaves& placed = operands[i];
  return {placed.node, *placed.base, placed.leaves.front(), placed.scope};
}

PartitionedHlo Visit::Result(NodeId node, const Tiling& tiling) const {
  return {node, *base, tiling, scope};
}

NodeId Visit::Resharded(NodeId node, const Tiling& from) const {
  return from == tiling() ? node : Reshard(Result(node, from), tiling()).node;
}

int64_t CountLeaves(const Shape& shape) {
  if (!shape.is_tuple()) return 1;
  int64_t count = 0;
  layout::ForEachLeaf(shape, [&count](const Shape&) { ++count; });
  return count;
}

std::vector<int64_t> LeafOffsets(const Shape& tuple) {
  std::vector<int64_t> out = {0};
  for (const Shape& element : tuple.tuple_elements()) {
    out.push_back(out.back() + CountLeaves(element));
  }
  return out;
}

Shape ShardShapes(const Shape& shape, absl::Span<const Tiling> leaves) {
  int64_t next = 0;
  return ShardShapesFrom(shape, leaves, next);
}

std::vector<Tiling> Uniform(const Shape& shape, const Tiling& tiling) {
  // An empty tuple is given one leaf all the same.
  return std::vector<Tiling>(static_cast<size_t>(std::max<int64_t>(CountLeaves(shape), 1)), tiling);
}

std::vector<Tiling> LeavesOf(const Shape& tuple, int64_t index, absl::Span<const Tiling> leaves) {
  int64_t begin = 0;
  for (int64_t i = 0; i < index; ++i) begin += CountLeaves(At(tuple.tuple_elements(), i));
  const int64_t count = CountLeaves(At(tuple.tuple_elements(), index));
  if (count == 0) return {Tiling()};
  const auto first = leaves.begin() + begin;
  return std::vector<Tiling>(first, first + count);
}

NodeId ReshardLeaves(const PartitionedLeaves& value, const std::vector<Tiling>& target) {
  if (value.leaves == target) return value.node;
  int64_t next = 0;
  return ReshardFrom(value.node, *value.base, *value.scope, value.leaves, target, next);
}

absl::StatusOr<NodeId> Default(Visit& v) {
  const Tiling base = v.OnOneDevice() ? v.tiling() : Tiling::Replicated();
  std::vector<NodeId> operands;
  for (const PartitionedLeaves& operand : v.operands) {
    operands.push_back(ReshardLeaves(operand, Uniform(*operand.base, base)));
  }
  const NodeId node = Clone(v, *v.base, operands);
  return ReshardLeaves({node, v.base, Uniform(*v.base, base), v.scope}, v.leaves);
}

absl::StatusOr<NodeId> PartitionElementwise(Visit& v) {
  const bool alike =
      v.operands.size() > 1 &&
      std::all_of(v.operands.begin() + 1, v.operands.end(), [&v](const PartitionedLeaves& operand) {
        return operand.leaves == v.operands.front().leaves;
      });
  std::vector<NodeId> operands;
  if (alike) {
    for (const PartitionedLeaves& operand : v.operands) operands.push_back(operand.node);
    const std::vector<Tiling>& leaves = v.operands.front().leaves;
    const NodeId node = Clone(v, ShardShapes(*v.base, leaves), operands);
    // Where nothing moves the result keeps the form that the instruction of the operand has.
    const bool stays = v.base->is_array() && leaves == v.leaves;
    if (stays && !leaves.front().IsNamed() && v.tiling().IsNamed() &&
        !v.graph().node(operands.front()).is_v1_by_operand) {
      v.graph().MarkV1ByOperand(node);
    }
    return ReshardLeaves({node, v.base, leaves, v.scope}, v.leaves);
  }
  for (const PartitionedLeaves& operand : v.operands) {
    operands.push_back(operand.base->is_tuple()
                           ? ReshardLeaves(operand, v.leaves)
                           : ReshardLeaves(operand, Uniform(*operand.base, v.tiling())));
  }
  return Clone(v, v.shard_shape(), operands);
}

CollectiveForm GivenForm(Visit& v, hlo::InstructionId id) {
  const hlo::Module& module = v.module();
  CollectiveForm form;
  form.given = id;
  if (const auto text = module.FindAttribute(id, hlo::AttributeName::kReplicaGroups)) {
    auto groups = v.graph().given_groups().Of(*text, module.header().num_partitions);
    if (groups.has_value()) {
      form.groups = *std::move(groups);
    } else {
      v.graph().Fail(absl::StrCat(
          "replica_groups names axes that its mesh does not have, or, with those of other "
          "collectives, more than ",
          GivenGroups::kMostListed, " devices"));
    }
  }
  form.pairs = hlo::GetSourceTargetPairs(module, id);
  if (const auto dims = hlo::GetInts(module, id, hlo::AttributeName::kDimensions)) {
    form.dimensions = std::vector<int64_t>(dims->begin(), dims->end());
  }
  if (!module.called(id).empty()) {
    const hlo::Computation& reducer = module.computation(module.called(id)[0]);
    form.reduction = module.instruction(reducer.root).opcode;
  }
  return form;
}

namespace {

// Collectives in the computation of a fusion run when it runs.
void AddGivenInside(Visit& v, std::vector<NodeId>& needed) {
  const hlo::Module& module = v.module();
  const hlo::InstructionId outer = v.graph().visited();
  for (hlo::InstructionId id : module.computation(module.called(v.id)[0]).instructions) {
    if (!hlo::IsCollective(module.instruction(id).opcode)) continue;
    v.graph().Visit(id);
    std::vector<NodeId> operands;
    for (hlo::InstructionId operand : module.operands(id)) {
      operands.push_back(
          v.graph().Add(Opcode::kParameter, module.shape(operand), {}, Recipes::kUnknown));
    }
    needed.push_back(v.graph().AddCollective(module.instruction(id).opcode, module.shape(id),
                                             operands, GivenForm(v, id)));
  }
  v.graph().Visit(outer);
}

}  // namespace

RecipeId AsWrittenBut(Graph& graph, hlo::AttributeName name, std::string value) {
  return graph.Keep([&] { return recipe::AsWritten{{{name, std::move(value)}}}; });
}

NodeId Clone(Visit& v, Shape shape, absl::Span<const NodeId> operands, RecipeId recipe) {
  NodeId node = -1;
  if (hlo::IsCollective(v.opcode())) {
    node = v.graph().AddCollective(v.opcode(), std::move(shape), operands, GivenForm(v, v.id));
  } else if (rules::IsElementWiseOpcode(v.opcode())) {
    node = v.graph().Elementwise(v.opcode(), std::move(shape), operands, recipe);
  } else {
    std::vector<NodeId> all(operands.begin(), operands.end());
    if (v.opcode() == Opcode::kFusion) {
      AddGivenInside(v, all);
      const bool is_whole = shape.WithoutLayout() == v.base->WithoutLayout();
      if (!is_whole || all.size() != operands.size()) recipe = Recipes::kUnknown;
    }
    node = v.graph().Add(v.opcode(), std::move(shape), all, recipe);
  }
  if (v.unreduced) v.graph().MarkUnreduced(node);
  return node;
}

}  // namespace tessera::sharding::partition
