// Loops, branches and calls: their bodies, and the node of the call.
// XLA: SpmdPartitioningVisitor::HandleWhile, HandleConditional, HandleCall.

#include <utility>

#include "tessera/sharding/partition/reshard/reshard.h"
#include "tessera/sharding/partition/tiling/grouping.h"
#include "tessera/sharding/partition/walk/body_walk.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::partition {
namespace {

// All partitions must take the same branch.
NodeId ReplicatedPredicate(const PartitionedHlo& predicate) {
  if (predicate.tiling.IsManual()) return predicate.node;
  if (!predicate.tiling.HasManual()) return Replicate(predicate).node;
  Grouping groups = GroupOnManual(predicate.tiling);
  groups.inner = Tiling::Replicated();
  return Reshard(predicate, Ungroup(groups)).node;
}

}  // namespace

// For an opcode that runs unchanged in manual code. A loop, its condition and its body share the
// tuple.
const Shape* BodyWalk::ShardOf(const Visited& visited, const Visit& v) {
  const Shape*& known = shards_of_[Pair(module_.shape_id(visited.id), visited.leaves)];
  if (known == nullptr) known = graph_.Kept(v.shard_shape());
  return known;
}

// A node for the call; it stays if something inside has a side effect.
NodeId BodyWalk::CallNode(const Frame& frame, const Visited& visited, Visit& v,
                          absl::Span<const NodeId> operands, CallSite::Bodies bodies) {
  bool keep = false;
  for (int32_t body : bodies) keep |= bodies_.HasEffect(body);
  const NodeId node =
      graph_.AddCall(v.opcode(), ShardOf(visited, v), operands, {v.id, std::move(bodies)});
  if (keep) bodies_.Keep(frame.body, node);
  return node;
}

absl::StatusOr<NodeId> BodyWalk::PartitionWhile(const Frame& frame, const Visited& visited,
                                                Visit& v) {
  const auto called = module_.called(v.id);  // body, condition
  TESSERA_ASSIGN_OR_RETURN(
      const int32_t condition,
      MakeBody({Body::Role::kCondition, called[1], {visited.leaves}, std::nullopt}, v.id,
               frame.body));
  TESSERA_ASSIGN_OR_RETURN(
      const int32_t body,
      MakeBody({Body::Role::kLoop, called[0], {visited.leaves}, visited.leaves}, v.id, frame.body));
  const NodeId operand = ReshardLeaves(v.operands[0], v.leaves);
  return CallNode(frame, visited, v, {operand}, {condition, body});
}

absl::StatusOr<NodeId> BodyWalk::PartitionConditional(const Frame& frame, const Visited& visited,
                                                      Visit& v) {
  CallSite::Bodies bodies;
  absl::InlinedVector<NodeId, 4> operands;
  const auto called = module_.called(v.id);
  for (size_t i = 0; i < called.size(); ++i) {
    const ValueState& argument = visited.operands[i + 1];
    TESSERA_ASSIGN_OR_RETURN(
        const int32_t body,
        MakeBody({Body::Role::kBranch, called[i], {argument.leaves}, visited.leaves}, v.id,
                 frame.body));
    bodies.push_back(body);
    operands.push_back(argument.node);
  }
  operands.push_back(ReplicatedPredicate(v.operand(0)));
  return CallNode(frame, visited, v, operands, std::move(bodies));
}

absl::StatusOr<NodeId> BodyWalk::PartitionCall(const Frame& frame, const Visited& visited,
                                               Visit& v) {
  BodyKey key = {Body::Role::kCall, module_.called(v.id)[0], {}, visited.leaves};
  std::vector<NodeId> operands;
  for (const ValueState& operand : visited.operands) {
    key.parameters.push_back(operand.leaves);
    operands.push_back(operand.node);
  }
  TESSERA_ASSIGN_OR_RETURN(const int32_t body, MakeBody(key, v.id, frame.body));
  return CallNode(frame, visited, v, operands, {body});
}

}  // namespace tessera::sharding::partition
