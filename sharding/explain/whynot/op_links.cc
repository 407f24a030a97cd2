#include "tessera/sharding/explain/whynot/op_links.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/trim.h"

namespace tessera::sharding::explain {
namespace {

using propagation::EdgeSpec;
using propagation::kNone;
using propagation::ManualView;
using propagation::OpId;
using propagation::ValueId;

// Ops of other kinds have no step of their own; edges serve them.
bool TakesPart(propagation::OpKind kind) {
  using propagation::OpKind;
  switch (kind) {
    case OpKind::kWhile:
    case OpKind::kCase:
    case OpKind::kOptBarrier:
    case OpKind::kNamedComputation:
    case OpKind::kManualComputation:
    case OpKind::kReturn:
      return false;
    default:
      return true;
  }
}

}  // namespace

OpLinks::OpLinks(const EventLog& log) : log_(log) {
  for (const propagation::Output& output : log.numbered().outputs()) {
    const bool has_shape = log.numbered().has_shape(output.value);
    output_rules_.push_back(has_shape
                                ? factors::IdentityRule(log.numbered().dims(output.value), 1, 1)
                                : factors::OpShardingRule());
  }
  FindConditionals();
  for (OpId op = 0; op < log.numbered().num_ops(); ++op) {
    first_value_.push_back(static_cast<int32_t>(values_.size()));
    absl::c_copy(TensorsOf(op), std::back_inserter(values_));
  }
  std::vector<std::pair<SlotId, OpLink>> all;
  Collect(&all);
  begin_.assign(static_cast<size_t>(log.num_slots()) + 1, 0);
  for (const auto& [slot, link] : all) ++begin_[static_cast<size_t>(slot) + 1];
  for (size_t s = 1; s < begin_.size(); ++s) begin_[s] += begin_[s - 1];
  links_.resize(all.size());
  std::vector<int32_t> next = begin_;
  for (const auto& [slot, link] : all) {
    links_[static_cast<size_t>(next[static_cast<size_t>(slot)]++)] = link;
  }
}

void OpLinks::FindConditionals() {
  if (log_.program().CountOf(passes::OpKind::kPredConditional) == 0) return;
  for (const passes::Op* op : log_.numbered().ops()) {
    if (op == nullptr || op->kind != passes::OpKind::kPredConditional) continue;
    const absl::Span<const ValueId> own = log_.numbered().tensors(op->number);
    std::vector<ValueId>& tensors = conditionals_[op->number];
    tensors.assign(own.begin(), own.end());
    for (const passes::Block* branch : op->blocks()) {
      const passes::Op* yield = branch->terminator();
      for (int i = 0; i < yield->num_operands(); ++i) {
        tensors.push_back(yield->operand(i)->number());
      }
    }
  }
}

void OpLinks::Collect(std::vector<std::pair<SlotId, OpLink>>* all) const {
  const propagation::NumberedProgram& numbered = log_.numbered();
  const std::vector<bool>& erased = log_.run().result().erased;
  for (OpId op = 0; op < numbered.num_ops(); ++op) {
    const bool is_dead = !erased.empty() && erased[static_cast<size_t>(op)];
    if (is_dead || !TakesPart(numbered.kind(op))) continue;
    const std::vector<ValueId> tensors = TensorsOf(op);
    for (size_t t = 0; t < tensors.size(); ++t) {
      if (!numbered.has_shape(tensors[t])) continue;
      all->push_back({log_.SlotOf(tensors[t]), {{op, kNone}, static_cast<int>(t)}});
    }
  }
  for (int k = 0; k < static_cast<int>(numbered.outputs().size()); ++k) {
    if (!numbered.has_shape(numbered.outputs()[static_cast<size_t>(k)].value)) continue;
    for (int t = 0; t < 2; ++t) {
      all->push_back({log_.TensorOf(kNone, k, t, 0).slot, {{kNone, k}, t}});
    }
  }
}

std::vector<ValueId> OpLinks::TensorsOf(OpId op) const {
  std::vector<ValueId> tensors;
  if (const EdgeSpec* edge = EdgeOf({op, kNone})) {
    tensors = edge->sources;
    tensors.push_back(edge->result);
    return tensors;
  }
  const auto conditional = conditionals_.find(op);
  if (conditional != conditionals_.end()) return conditional->second;
  const absl::Span<const ValueId> own = log_.numbered().tensors(op);
  tensors.assign(own.begin(), own.end());
  return tensors;
}

const EdgeSpec* OpLinks::EdgeOf(Actor actor) const {
  if (actor.op == kNone) return nullptr;
  const propagation::EdgeId edge = log_.numbered().edge(actor.op);
  return edge == kNone ? nullptr : &log_.numbered().edges()[static_cast<size_t>(edge)];
}

const factors::OpShardingRule* OpLinks::RuleOf(Actor actor) const {
  return actor.op == kNone ? &output_rules_[static_cast<size_t>(actor.output)]
                           : log_.RuleOf(actor.op);
}

int OpLinks::NumTensors(Actor actor) const {
  if (const factors::OpShardingRule* rule = RuleOf(actor)) return rule->num_tensors();
  return static_cast<int>(TensorsOf(actor.op).size());
}

int OpLinks::NumOperands(Actor actor) const {
  if (const factors::OpShardingRule* rule = RuleOf(actor)) return rule->num_operands();
  return static_cast<int>(log_.numbered().operands(actor.op).size());
}

int OpLinks::RankOf(SlotId slot) const {
  const propagation::NumberedProgram& numbered = log_.numbered();
  return numbered.rank(log_.IsOutput(slot)
                           ? numbered.outputs()[static_cast<size_t>(log_.OutputOf(slot))].value
                           : slot);
}

ShardingId OpLinks::ShardingAt(SlotId slot, int32_t bound) const {
  if (bound == EventLog::kEnd) return log_.PropagatedId(slot);
  const std::vector<int32_t>& events = log_.EventsOf(slot);
  const auto next = std::lower_bound(events.begin(), events.end(), bound);
  return next == events.begin() ? kNoSharding : log_.event(*(next - 1)).after;
}

MeshState OpLinks::FindMesh(absl::Span<const ShardingId> ids, MeshId* mesh) const {
  const MeshTable& meshes = log_.program().meshes();
  std::optional<MeshId> common;
  bool differ = false;
  for (const ShardingId id : ids) {
    if (id == kNoSharding) continue;
    const MeshId own = log_.program().shardings()[id].mesh_id();
    if (own == kNoMesh || meshes.mesh(own).is_empty()) continue;
    if (meshes.mesh(own).is_maximal()) return MeshState::kSingleDevice;
    differ |= common.has_value() && meshes.mesh(*common) != meshes.mesh(own);
    if (!common.has_value()) common = own;
  }
  if (!common.has_value()) return MeshState::kNone;
  *mesh = *common;
  return differ ? MeshState::kMismatch : MeshState::kCommon;
}

MeshState OpLinks::Project(Actor actor, int32_t bound, factors::FactorTable* table,
                           MeshId* mesh) const {
  const factors::OpShardingRule& rule = *RuleOf(actor);
  std::vector<ShardingId> ids;
  std::vector<const TensorSharding*> shardings;
  for (int t = 0; t < rule.num_tensors(); ++t) {
    ids.push_back(ShardingAt(Tensor(actor, t, 0).slot, bound));
    shardings.push_back(log_.program().Find(ids.back()));
  }
  MeshId common = kNoMesh;
  const MeshState state = FindMesh(ids, &common);
  if (mesh != nullptr) *mesh = common;
  if (state != MeshState::kCommon) return state;
  // The border of a shard_map is stepped with its manual part in front, or without it.
  TensorSharding view;
  const EdgeSpec* edge = EdgeOf(actor);
  if (edge != nullptr && edge->view != ManualView::kNone && shardings.back() != nullptr) {
    view = edge->view == ManualView::kOuter
               ? WithManualAxes(*shardings.back(), log_.program().shardings()[edge->boundary],
                                edge->manual_axes)
               : EraseManualAxes(*shardings.back(), edge->manual_axes);
    shardings.back() = &view;
  }
  table->Project(rule, shardings, log_.program().meshes().mesh(common));
  return state;
}

}  // namespace tessera::sharding::explain
