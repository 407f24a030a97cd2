#include "tessera/sharding/partition/walk/body_walk.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/error_at.h"
#include "tessera/layout/shape_text.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::partition {

BodyWalk::BodyWalk(const ModuleView& view, Input input, LeafLists& lists, TupleLeaves& tuple_leaves,
                   Visits visits, Graph* graph, Bodies* bodies)
    : module_(view.module()),
      view_(view),
      walk_(module_),
      input_(std::move(input)),
      lists_(lists),
      tuple_leaves_(tuple_leaves),
      graph_(*graph),
      values_(graph_, lists, module_.num_instructions()),
      visit_cache_(graph_, input_.classes().size()),
      shards_(module_, input_, lists, graph_, visit_cache_.states(), values_),
      visits_(visits),
      sharding_of_([this](hlo::InstructionId id) { return lists_[input_.leaves(id)].front(); }),
      bodies_(*bodies) {
  graph_.Reserve(module_.num_instructions());
}

absl::Status BodyWalk::Run() {
  const hlo::ComputationId entry = module_.entry_id();
  BodyKey key = {Body::Role::kEntry, entry, {}, input_.leaves(module_.entry().root)};
  for (hlo::InstructionId id : module_.entry().parameters) {
    key.parameters.push_back(input_.leaves(id));
  }
  return MakeBody(key, hlo::kNoId, -1).status();
}

PartitionedLeaves BodyWalk::LeavesOfOperand(const Frame& frame, hlo::InstructionId id,
                                            const ValueState& value) const {
  return {value.node, &module_.shape(id), lists_[value.leaves], frame.scope};
}

LeafLists::Id BodyWalk::LeavesOf(const Frame& frame, hlo::InstructionId id) const {
  if (input_.classes()[input_.class_of(id)].opcode == Opcode::kParameter) {
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

// Windows of a dot depend on other users of its operands, joined pads on the whole sizes of operands.
bool BodyWalk::MayRepeat(hlo::InstructionId id) const {
  const InstructionClasses::Class& class_id = input_.classes()[input_.class_of(id)];
  if ((class_id.opcode == Opcode::kDot || class_id.opcode == Opcode::kConvolution) &&
      graph_.options().windows.has_value())
    return false;
  if (class_id.opcode == Opcode::kConcatenate && graph_.options().joins_pads) return false;
  return visits_ == Visits::kRepeated && class_id.may_repeat && input_.IsOrdinary(id);
}

// Replays without a visit: almost all instructions of a network.
bool BodyWalk::DoesAgain(const Frame& frame, hlo::InstructionId id) {
  if (!MayRepeat(id)) return false;
  const InstructionClasses::Id number = input_.class_of(id);
  const InstructionClasses::Class& class_id = input_.classes()[number];
  graph_.Visit(id);
  if (class_id.is_by_shard && id != frame.predicate && shards_.Handles(id, number)) return true;
  if (!class_id.comes_again) return false;
  const LeafLists::Id leaves = LeavesOf(frame, id);
  const NodeId node =
      visit_cache_.Replay({number, leaves, module_.operands(id), frame.scope}, values_);
  if (node == VisitCache::kNone) return false;
  values_.Set(id, {node, leaves, class_id.shape, class_id.opcode == Opcode::kConstant});
  return true;
}

void BodyWalk::FinishBody(const Frame& frame, const BodyKey& key) {
  graph_.Visit(hlo::kNoId);
  const hlo::InstructionId root = module_.computation(key.computation).root;
  const ValueState value = values_.Of(root);
  bodies_.SetRoot(frame.body, ReshardLeaves(LeavesOfOperand(frame, root, value),
                                            lists_[key.root.value_or(value.leaves)]));
}

// The body of an earlier call, reused for this one. XLA's partitioner does not compare the
// requested result shardings: it uses the shards of the first call, which may be those of other
// devices. Its verifier refuses shards of another shape.
absl::Status BodyWalk::CheckResult(const BodyKey& known, const BodyKey& key) const {
  if (!known.root.has_value() || !key.root.has_value()) return absl::OkStatus();
  if (lists_.Equal(*known.root, *key.root)) return absl::OkStatus();
  const Shape& base = module_.shape(module_.computation(key.computation).root);
  const Shape made = ShardShapes(base, lists_[*known.root]);
  const Shape wanted = ShardShapes(base, lists_[*key.root]);
  if (made == wanted) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("an earlier call with operands that lie alike gives shards of ",
                   layout::ShapeToString(made, layout::kNoLayout), ", this one wants ",
                   layout::ShapeToString(wanted, layout::kNoLayout),
                   "; XLA's partitioner makes one body for both, which its verifier refuses: give "
                   "both results one sharding, or call a copy of the computation"));
}

absl::StatusOr<int32_t> BodyWalk::MakeBody(const BodyKey& key, hlo::InstructionId caller,
                                           int32_t parent) {
  if (const auto known = bodies_.Find(key, lists_)) {
    TESSERA_RETURN_IF_ERROR(CheckResult(bodies_.key(*known), key));
    return *known;
  }
  const int32_t body = bodies_.Add(key, caller, parent);
  const int32_t outer = graph_.EnterBody(body);
  const hlo::InstructionId visited = graph_.visited();
  scopes_.push_back(std::make_unique<DeviceGroupScope>(graph_, module_.header().num_partitions));
  Frame frame = {body, scopes_.back().get(), key.parameters};
  if (key.role == Body::Role::kCondition) {
    SetPredicate(module_.computation(key.computation).root, frame);
  }
  const std::vector<hlo::InstructionId> order = walk_.Of(key.computation);
  for (hlo::InstructionId id : order) {
    if (DoesAgain(frame, id) || input_.IsDropped(id)) continue;
    const absl::Status status = VisitOne(frame, id);
    if (!status.ok()) return hlo::PlacedAt(module_, id, status);
  }
  FinishBody(frame, key);
  graph_.EnterBody(outer);
  graph_.Visit(visited);
  return body;
}

}  // namespace tessera::sharding::partition
