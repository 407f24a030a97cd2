#include "tessera/sharding/partition/walk/body_walk.h"

#include <utility>

#include "tessera/sharding/partition/report.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::partition {

BodyWalk::BodyWalk(const hlo::Module& module, Input input, LeafLists& lists,
                   TupleLeaves& tuple_leaves, const reference::Behaviors& behaviors, Visits visits)
    : module_(module),
      view_(module),
      walk_(module),
      input_(std::move(input)),
      lists_(lists),
      tuple_leaves_(tuple_leaves),
      graph_(behaviors),
      values_(graph_, lists, module.num_instructions()),
      repeats_(graph_, input_.kinds().size()),
      shards_(module, input_, lists, graph_, repeats_.states(), values_),
      visits_(visits),
      bodies_(lists) {
  graph_.Reserve(module.num_instructions());
}

absl::StatusOr<Partitioned> BodyWalk::Run() {
  const hlo::ComputationId entry = module_.entry_id();
  Wish wish = {Body::Role::kEntry, entry, {}, input_.leaves(module_.entry().root)};
  for (hlo::InstructionId id : module_.entry().parameters) {
    wish.parameters.push_back(input_.leaves(id));
  }
  TESSERA_RETURN_IF_ERROR(MakeBody(wish, hlo::kNoId, -1).status());
  return Report(module_, graph_, LiveCollectives(bodies_.nodes(), graph_), bodies_.Release());
}

Placed BodyWalk::PlacedOf(const Frame& frame, hlo::InstructionId id, const Held& value) const {
  return {value.node, &module_.shape(id), lists_[value.leaves], frame.scope};
}

LeafLists::Id BodyWalk::LeavesOf(const Frame& frame, hlo::InstructionId id) const {
  if (input_.kinds()[input_.kind(id)].opcode == Opcode::kParameter) {
    return At(frame.parameters, module_.instruction(id).parameter_number);
  }
  return id == frame.predicate ? frame.predicate_leaves : input_.leaves(id);
}

void BodyWalk::SetPredicate(hlo::InstructionId id, Frame& frame) {
  Leaves leaves = lists_[input_.leaves(id)];
  for (Tiling& leaf : leaves) leaf = ReplicateData(leaf);
  frame.predicate = id;
  frame.predicate_leaves = lists_.Add(std::move(leaves));
}

bool BodyWalk::MayRepeat(hlo::InstructionId id) const {
  return visits_ == Visits::kRepeated && input_.kinds()[input_.kind(id)].may_repeat &&
         input_.IsOrdinary(id);
}

// The ways without a visit, which almost all of a network goes.
bool BodyWalk::DoesAgain(const Frame& frame, hlo::InstructionId id) {
  if (!MayRepeat(id)) return false;
  const Kinds::Id number = input_.kind(id);
  const Kinds::Kind& kind = input_.kinds()[number];
  graph_.Visit(id);
  if (kind.is_by_shard && id != frame.predicate && shards_.Handles(id, number)) return true;
  const LeafLists::Id leaves = LeavesOf(frame, id);
  const NodeId node = repeats_.Again({number, leaves, module_.operands(id), frame.scope}, values_);
  if (node == Repeats::kNone) return false;
  values_.Set(id, {node, leaves, kind.shape, kind.opcode == Opcode::kConstant});
  return true;
}

void BodyWalk::FinishBody(const Frame& frame, const Wish& wish) {
  graph_.Visit(hlo::kNoId);
  const hlo::InstructionId root = module_.computation(wish.computation).root;
  const Held value = values_.Of(root);
  bodies_.SetRoot(frame.body, ReshardLeaves(PlacedOf(frame, root, value),
                                            lists_[wish.root.value_or(value.leaves)]));
}

absl::Status BodyWalk::AtInstruction(const absl::Status& status, hlo::InstructionId id) const {
  if (text::ErrorOffset(status) != 0) return status;
  const absl::Status placed = text::ErrorAt(module_.instruction(id).source.begin, status.message());
  if (!absl::IsUnimplemented(status)) return placed;
  absl::Status out(absl::StatusCode::kUnimplemented, placed.message());
  placed.ForEachPayload(
      [&out](absl::string_view url, const absl::Cord& payload) { out.SetPayload(url, payload); });
  return out;
}

absl::StatusOr<int32_t> BodyWalk::MakeBody(const Wish& wish, hlo::InstructionId caller,
                                           int32_t parent) {
  if (const auto known = bodies_.Find(wish)) return *known;
  const int32_t body = bodies_.Add(wish, caller, parent);
  const int32_t outer = graph_.EnterBody(body);
  const hlo::InstructionId visited = graph_.visited();
  scopes_.push_back(std::make_unique<Scope>(graph_, module_.header().num_partitions));
  Frame frame = {body, scopes_.back().get(), wish.parameters};
  if (wish.role == Body::Role::kCondition) {
    SetPredicate(module_.computation(wish.computation).root, frame);
  }
  const std::vector<hlo::InstructionId> order = walk_.Of(wish.computation);
  for (hlo::InstructionId id : order) {
    if (DoesAgain(frame, id) || input_.IsDropped(id)) continue;
    const absl::Status status = VisitOne(frame, id);
    if (!status.ok()) return AtInstruction(status, id);
  }
  FinishBody(frame, wish);
  graph_.EnterBody(outer);
  graph_.Visit(visited);
  return body;
}

}  // namespace tessera::sharding::partition
