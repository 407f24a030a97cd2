// Custom calls: the boundaries of manual code, and library calls.
//
// XLA's verifier does not check their operands and results. Where its partitioner reads a missing
// operand and crashes, or reads other memory, the answer here is an error.
// XLA: SpmdPartitioningVisitor::HandleCustomCall, HandleCustomCallTopK (custom_call_handler.cc).

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/shape_text.h"
#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/partition/reshard/tables.h"
#include "tessera/sharding/partition/reshard/windows/window.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::partition {
namespace {

// The number of leading batch dimensions of such a call; -1: not given.
int64_t BatchDims(const Visit& v) {
  const auto text = hlo::GetFrontendAttribute(v.module(), v.id, "num_batch_dims");
  int64_t dims = -1;
  if (text.has_value() && absl::SimpleAtoi(*text, &dims)) return dims;
  return -1;
}

// Batch dimensions are sharded like those of the first result, other dimensions are replicated. An
// array of lower rank has only some of the batch dimensions.
absl::StatusOr<NodeId> RunInBatches(Visit& v, int64_t dims) {
  const Tiling first = v.tiling();
  const auto batched = [&](const Shape& leaf) {
    if (!first.IsTiled() || !leaf.is_array()) return Tiling::Replicated();
    const Dims kept = Iota(std::min({dims, first.data_rank(), leaf.rank()}));
    return PropagateAlongDims(first, kept, kept, leaf.rank());
  };
  std::vector<NodeId> operands;
  for (size_t i = 0; i < v.operands.size(); ++i) {
    operands.push_back(Reshard(v.operand(i), batched(*v.operands[i].base)).node);
  }
  std::vector<Tiling> leaves;
  layout::ForEachLeaf(*v.base, [&](const Shape& leaf) { leaves.push_back(batched(leaf)); });
  const NodeId node = Clone(v, ShardShapes(*v.base, leaves), operands);
  return ReshardLeaves({node, v.base, leaves, v.scope}, v.leaves);
}

absl::StatusOr<NodeId> Border(Visit& v, bool into_manual) {
  if (v.operands.size() != 1 || !v.operands[0].base->is_array() || !v.base->is_array()) {
    return absl::InvalidArgumentError(
        "a border of manual code takes one array and gives one; XLA's partitioner crashes on "
        "others");
  }
  PartitionedHlo input = v.operand(0);
  if (into_manual && !IsEven(input.base, input.tiling)) input = MaskedWithZero(input);
  const Shape inside = v.graph().shape(input.node), outside = v.shard_shape();
  if (inside.dims() != outside.dims()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a shard of the operand is ", layout::ShapeToString(inside, layout::kNoLayout),
                     ", one of the result is ", layout::ShapeToString(outside, layout::kNoLayout),
                     ": manual code cannot begin or end between the two"));
  }
  return v.graph().Copy(input.node);
}

bool AreLines(absl::Span<const Shape> arrays) {
  return !arrays.empty() && std::all_of(arrays.begin(), arrays.end(), [](const Shape& shape) {
    return shape.is_array() && shape.rank() == 2;
  });
}

// Lines whose k largest can be found part by part: no replicas, and more than k elements in a part.
absl::StatusOr<bool> IsTopKOfParts(const Visit& v) {
  if (v.operands.empty()) {
    return absl::InvalidArgumentError(
        "TopK takes the array whose largest elements it finds; XLA's partitioner crashes without "
        "it");
  }
  const Tiling tiling = v.operand(0).tiling;
  if (!tiling.IsTiled() || tiling.LastIsReplicated() || v.operands[0].base->rank() != 2 ||
      !v.base->is_tuple()) {
    return false;
  }
  if (!AreLines(v.base->tuple_elements())) {
    return absl::InvalidArgumentError(
        "TopK of a matrix that is cut gives a tuple of matrices; XLA's partitioner reads their "
        "second dimension");
  }
  const int64_t part = CeilDiv(v.operands[0].base->dim(1), tiling.dim(1));
  return v.base->tuple_elements()[0].dim(1) < part;
}

// Of the indices into a part.
NodeId IndicesIntoWhole(const PartitionedHlo& operand, NodeId indices) {
  Graph& graph = operand.scope->graph();
  const int64_t size = graph.shape(operand.node).dim(1);
  const RecipeId recipe = graph.Keep(
      [&] { return recipe::Shifted{StartAlong(*operand.scope, operand.tiling, 1, size)}; });
  return graph.Add(Opcode::kAdd, graph.shape(indices), {indices}, recipe);
}

// The k largest of each part with their indices, gathered and sorted.
NodeId TopKOfParts(Visit& v) {
  Graph& graph = v.graph();
  const PartitionedHlo operand = v.operand(0);
  const Tiling kept = ReplicateOn(operand.tiling, {1});
  std::vector<Shape> local, sorted;
  for (const Shape& element : v.base->tuple_elements()) {
    local.push_back(ShardShape(element, kept));
  }
  const NodeId found = Clone(v, Shape::Tuple(local), {operand.node});
  std::vector<NodeId> whole;
  for (int64_t i = 0; i < Size(local); ++i) {
    Shape base = At(v.base->tuple_elements(), i);
    base.set_dim(1, base.dim(1) * operand.tiling.dim(1));
    NodeId element = graph.Element(found, i);
    if (i == 1) element = IndicesIntoWhole(operand, element);
    const PartitionedHlo part = {element, base, operand.tiling, v.scope};
    whole.push_back(Reshard(part, kept).node);
    sorted.push_back(graph.shape(whole.back()));
  }
  const NodeId all = graph.Add(Opcode::kSort, Shape::Tuple(sorted), whole,
                               graph.Keep([] { return recipe::LargestFirst{1}; }));
  std::vector<NodeId> first;
  for (int64_t i = 0; i < Size(local); ++i) {
    first.push_back(graph.SliceFirst(At(local, i), graph.Element(all, i)));
  }
  const NodeId node = graph.AddTuple(first);
  return ReshardLeaves({node, v.base, Uniform(*v.base, kept), v.scope}, v.leaves);
}

}  // namespace

absl::StatusOr<NodeId> PartitionCustomCall(Visit& v) {
  const std::string target = hlo::GetCustomCallTarget(v.module(), v.id);
  if (target == "SPMDFullToShardShape") return Border(v, /*into_manual=*/true);
  if (target == "SPMDShardToFullShape") return Border(v, /*into_manual=*/false);
  if (target == "CustomSPMDPartitioning") {
    return absl::UnimplementedError(
        "custom_partitioning is decided by a callback of the program, which is not in the module; "
        "memory, reshards, sweep and suggest answer, as if such a call moved nothing");
  }
  if (target == "TopK") {
    TESSERA_ASSIGN_OR_RETURN(const bool is_of_parts, IsTopKOfParts(v));
    if (is_of_parts) return TopKOfParts(v);
  }
  if (v.OnOneDevice() || v.tiling().IsManual()) return PartitionOnOneDevice(v);
  const int64_t batch = BatchDims(v);
  if (batch >= 0) return RunInBatches(v, batch);
  return Default(v);
}

}  // namespace tessera::sharding::partition
