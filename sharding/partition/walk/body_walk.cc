#include "tessera/sharding/partition/walk/body_walk.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/layout/shape_text.h"
#include "tessera/sharding/partition/error_place.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::partition {

BodyWalk::BodyWalk(const ModuleView& view, Input input, LeafLists& lists, TupleLeaves& tuple_leaves,
                   const reference::Behaviors& behaviors, Visits visits, bool keeps_recipes)
    : module_(view.module()),
      view_(view),
      walk_(module_),
      input_(std::move(input)),
      lists_(lists),
      tuple_leaves_(tuple_leaves),
      graph_(behaviors, keeps_recipes),
      values_(graph_, lists, module_.num_instructions()),
      repeats_(graph_, input_.kinds().size()),
      shards_(module_, input_, lists, graph_, repeats_.states(), values_),
      visits_(visits),
      bodies_(lists) {
  graph_.Reserve(module_.num_instructions());
}

absl::Status BodyWalk::Run() {
  const hlo::ComputationId entry = module_.entry_id();
  Wish wish = {Body::Role::kEntry, entry, {}, input_.leaves(module_.entry().root)};
  for (hlo::InstructionId id : module_.entry().parameters) {
    wish.parameters.push_back(input_.leaves(id));
  }
  return MakeBody(wish, hlo::kNoId, -1).status();
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

// A body that is taken for a second call. XLA's partitioner does not look at what that call wants
// of the result: it goes on with shards of the first, wrong ones if they are those of other
// devices. Shards of another shape its verifier refuses.
absl::Status BodyWalk::CheckResult(const Wish& known, const Wish& wish) const {
  if (!known.root.has_value() || !wish.root.has_value()) return absl::OkStatus();
  if (lists_.Equal(*known.root, *wish.root)) return absl::OkStatus();
  const Shape& base = module_.shape(module_.computation(wish.computation).root);
  const Shape made = ShardShapes(base, lists_[*known.root]);
  const Shape wanted = ShardShapes(base, lists_[*wish.root]);
  if (made == wanted) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("an earlier call with operands that lie alike gives shards of ",
                   layout::ShapeToString(made, layout::kNoLayout), ", this one wants ",
                   layout::ShapeToString(wanted, layout::kNoLayout),
                   "; XLA's partitioner makes one body for both, which its verifier refuses: give "
                   "both results one sharding, or call a copy of the computation"));
}

absl::StatusOr<int32_t> BodyWalk::MakeBody(const Wish& wish, hlo::InstructionId caller,
                                           int32_t parent) {
  if (const auto known = bodies_.Find(wish)) {
    TESSERA_RETURN_IF_ERROR(CheckResult(bodies_.wish(*known), wish));
    return *known;
  }
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
    if (!status.ok()) return AtInstruction(status, module_, id);
  }
  FinishBody(frame, wish);
  graph_.EnterBody(outer);
  graph_.Visit(visited);
  return body;
}

}  // namespace tessera::sharding::partition
