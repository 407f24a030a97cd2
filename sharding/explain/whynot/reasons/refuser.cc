#include "tessera/sharding/explain/whynot/reasons/refuser.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/explain/whynot/reasons/cut_reasons.h"
#include "tessera/sharding/explain/whynot/reasons/fold_reasons.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::explain {
namespace {

using factors::FactorSharding;
using propagation::Direction;
using propagation::kNone;
using SplitGroups = absl::flat_hash_map<propagation::OpId, std::vector<Endpoint>>;

// One missed update and the step that refuses it.
class Judge {
 public:
  Judge(const EventLog& log, const OpLinks& links, const ShardMaps& maps,
        const propagation::Options& options, const SplitGroups& groups, const MissedUpdate& missed)
      : log_(log),
        links_(links),
        maps_(maps),
        groups_(groups),
        missed_(missed),
        replay_(log, links, options, missed.actor, EventLog::kEnd, /*level=*/-1) {
    refusal_.actor = missed.actor;
    refusal_.factor = missed.factor;
    refusal_.from = At(missed.from);
    refusal_.to = At(missed.to);
    refusal_.axis = missed.axis;
    refusal_.mesh = &log.MeshOf(log.PropagatedId(refusal_.from.slot));
    refusal_.refused =
        log.FirstRefused(missed.actor.op, missed.actor.output, missed.factor, missed.to);
  }

  std::optional<Refusal> Run() {
    if (replay_.mesh_state() == MeshState::kCommon && !FindMissed()) return std::nullopt;
    for (const Test test : kTests) {
      if ((this->*test)()) return refusal_;
    }
    refusal_.kind = RefusalKind::kDefect;
    return refusal_;
  }

 private:
  // Sets the refusal and says yes, or says no.
  using Test = bool (Judge::*)();
  static const Test kTests[13];

  Endpoint At(int t) const {
    const factors::OpShardingRule& rule = *links_.RuleOf(missed_.actor);
    return links_.Tensor(missed_.actor, t, rule.dim_of_cell(t, rule.cell(t, missed_.factor)));
  }
  bool Is(RefusalKind kind) {
    refusal_.kind = kind;
    return true;
  }

  const FactorSharding* Source() const {
    return replay_.before().Find(missed_.from, missed_.factor);
  }
  const FactorSharding* Target() const { return replay_.before().Find(missed_.to, missed_.factor); }

  // The part of the axis that the source has and the target lacks.
  bool FindMissed() {
    if (Source() == nullptr) return false;
    for (const AxisList* list : {&Source()->axes, &Source()->overflow}) {
      for (size_t i = 0; i < list->size(); ++i) {
        const std::optional<AxisRef> part = Overlap((*list)[i], missed_.axis);
        if (!part.has_value()) continue;
        AxisList missing = {*part};
        if (Target() != nullptr) {
          missing = SetDifference(missing, Target()->axes, replay_.mesh());
          missing = SetDifference(missing, Target()->overflow, replay_.mesh());
        }
        if (missing.empty()) continue;
        refusal_.axis = missing.front();
        is_overflow_ = list == &Source()->overflow;
        position_ = static_cast<int>(i);
        return true;
      }
    }
    return false;
  }

  propagation::EdgeId EdgeId() const {
    return missed_.actor.op == kNone ? kNone : log_.numbered().edge(missed_.actor.op);
  }

  // --- before any axis is looked at --------------------------------------------------------------

  // The op is a constraint in front of a member, put there when the group was split.
  bool IsSplitGroup() {
    const auto group = groups_.find(missed_.actor.op);
    if (group == groups_.end()) return false;
    refusal_.members = group->second;
    return Is(RefusalKind::kGroupConflict);
  }

  bool IsSingleDevice() {
    if (replay_.mesh_state() != MeshState::kSingleDevice) return false;
    for (int t = 0; t < replay_.rule().num_tensors(); ++t) {
      const SlotId slot = links_.Tensor(missed_.actor, t, 0).slot;
      const ShardingId id = log_.PropagatedId(slot);
      if (id != kNoSharding && log_.MeshOf(id).is_maximal()) {
        refusal_.holder = links_.Tensor(missed_.actor, t, 0);
      }
    }
    return Is(RefusalKind::kSingleDevice);
  }

  bool IsMeshMismatch() {
    if (replay_.mesh_state() != MeshState::kMismatch) return false;
    for (int t = 0; t < replay_.rule().num_tensors(); ++t) {
      const SlotId slot = links_.Tensor(missed_.actor, t, 0).slot;
      const ShardingId id = log_.PropagatedId(slot);
      if (id != kNoSharding && log_.MeshOf(id) != *refusal_.mesh) {
        refusal_.holder = links_.Tensor(missed_.actor, t, 0);
        break;
      }
    }
    return Is(RefusalKind::kMeshMismatch);
  }

  bool IsManualAxis() {
    const propagation::EdgeId edge = EdgeId();
    const ShardMap* map = edge == kNone ? nullptr : maps_.Of(edge);
    const std::string& axis = refusal_.mesh->axis(refusal_.axis.axis()).name;
    if (map == nullptr || !absl::c_linear_search(map->axes, axis)) return false;
    refusal_.border = map->begin;
    return Is(RefusalKind::kManualAxis);
  }

  bool IsBarrier() {
    const bool is_barrier =
        missed_.actor.op != kNone &&
        log_.numbered().kind(missed_.actor.op) == propagation::OpKind::kPropagationBarrier;
    if (!is_barrier) return false;
    const Direction needed =
        missed_.from < replay_.rule().num_operands() ? Direction::kForward : Direction::kBackward;
    const Direction allowed = log_.numbered().barrier(missed_.actor.op);
    return !Covers(allowed, needed) && Is(RefusalKind::kBarrier);
  }

  bool IsBlocked() {
    return replay_.rule().blocked(missed_.factor) && Is(RefusalKind::kBlockedFactor);
  }

  // --- the axis ----------------------------------------------------------------------------------

  bool IsSpilled() {
    if (!is_overflow_ && Target() != nullptr) return false;
    return SetSpill(replay_, Target() == nullptr ? missed_.to : missed_.from, missed_.factor,
                    &refusal_);
  }

  // Where the axis stands in what all tensors agree on; -1 if they do not.
  int PlaceInWant() const {
    const AxisList& want = replay_.compatible_axes(missed_.factor);
    for (size_t i = 0; i < want.size(); ++i) {
      if (Contains(want[i], refusal_.axis)) return static_cast<int>(i);
    }
    return -1;
  }

  bool IsConflictOfSources() {
    return PlaceInWant() < 0 && SetFoldReason(log_, links_, replay_, missed_, position_, &refusal_);
  }

  bool IsCut() {
    const int place = PlaceInWant();
    for (const propagation::Cut& cut : replay_.cuts()) {
      const bool is_ours =
          cut.factor == missed_.factor && (cut.target == missed_.to || cut.target == -1);
      const bool passed = cut.position > place || (cut.position == place && cut.kept.has_value() &&
                                                   Contains(*cut.kept, refusal_.axis));
      if (!is_ours || passed) continue;
      const bool is_cap = cut.reason == propagation::CutReason::kResult;
      if (cut.position == place || is_cap) {
        SetCutReason(log_, links_, replay_, cut, &refusal_);
        return true;
      }
      auto inner = std::make_shared<Refusal>(refusal_);
      inner->axis = cut.axis;
      SetCutReason(log_, links_, replay_, cut, inner.get());
      refusal_.axis_before = cut.axis;
      refusal_.inner = std::move(inner);
      return Is(RefusalKind::kBehindRefusedAxis);
    }
    return false;
  }

  // A conservative run splits nothing by a part of an axis, nor by what follows one.
  bool IsPartOfAnAxis() {
    if (!replay_.mode().conservative) return false;
    for (const AxisRef axis : replay_.compatible_axes(missed_.factor)) {
      if (axis.is_sub()) {
        refusal_.size_have = replay_.rule().size(missed_.factor);
        refusal_.size_need = replay_.mesh().axis_size(axis.axis());
        return Is(RefusalKind::kNotDivisible);
      }
      if (Overlaps(axis, refusal_.axis)) return false;
    }
    return false;
  }

  // Taken along the factor, but after another one of the dimension that is not split fully.
  bool IsStridedView() {
    const FactorSharding* after = replay_.after().Find(missed_.to, missed_.factor);
    if (after == nullptr || after->axes == Target()->axes) return false;
    const factors::OpShardingRule& rule = replay_.rule();
    for (const int32_t major : rule.factors(missed_.to, refusal_.to.dim)) {
      if (major == missed_.factor) break;
      const FactorSharding* cell = replay_.after().Find(missed_.to, major);
      if (cell == nullptr || ShardedSize(cell->axes, replay_.mesh()) >= rule.size(major)) continue;
      refusal_.size_have = rule.size(missed_.factor);
      refusal_.size_before = rule.size(major);
      refusal_.size_need = refusal_.axis.size(replay_.mesh());
      return Is(RefusalKind::kStridedView);
    }
    return false;
  }

  // The same tensor is written for another place of the op, or with the others of its group.
  bool IsOverwritten() {
    for (int t = 0; t < replay_.rule().num_tensors(); ++t) {
      if (t == missed_.to || links_.Tensor(missed_.actor, t, 0).slot != refusal_.to.slot) continue;
      refusal_.winner = links_.Tensor(missed_.actor, t, refusal_.to.dim);
      return Is(RefusalKind::kOverwritten);
    }
    const bool in_group =
        !log_.IsOutput(refusal_.to.slot) && log_.numbered().group(refusal_.to.slot) != kNone;
    return in_group && Is(RefusalKind::kOverwritten);
  }

  bool IsStaleCall() {
    if (EdgeId() == kNone) return false;
    const propagation::EdgeSpec& edge = log_.numbered().edges()[static_cast<size_t>(EdgeId())];
    return log_.numbered().kind(log_.numbered().def(edge.owner)) ==
               propagation::OpKind::kNamedComputation &&
           Is(RefusalKind::kStaleCall);
  }

  const EventLog& log_;
  const OpLinks& links_;
  const ShardMaps& maps_;
  const SplitGroups& groups_;
  const MissedUpdate& missed_;
  const StepReplay replay_;
  int position_ = 0;  // of the axis in the list of the source
  bool is_overflow_ = false;
  Refusal refusal_;
};

const Judge::Test Judge::kTests[] = {
    &Judge::IsSplitGroup,   &Judge::IsSingleDevice,      &Judge::IsMeshMismatch,
    &Judge::IsManualAxis,   &Judge::IsBarrier,           &Judge::IsBlocked,
    &Judge::IsSpilled,      &Judge::IsConflictOfSources, &Judge::IsCut,
    &Judge::IsPartOfAnAxis, &Judge::IsStridedView,       &Judge::IsOverwritten,
    &Judge::IsStaleCall,
};

}  // namespace

Refuser::Refuser(const EventLog& log, const OpLinks& links, const ShardMaps& maps,
                 const propagation::Options& options)
    : log_(log), links_(links), maps_(maps), options_(options) {
  for (const std::vector<propagation::ValueId>& group : log.numbered().groups()) {
    std::vector<propagation::OpId> constraints;
    std::vector<Endpoint> members;
    for (const propagation::ValueId member : group) {
      const passes::Op* def = log.OpOf(log.numbered().def(member));
      if (def == nullptr || def->kind != passes::OpKind::kConstraint ||
          def->part != passes::OpPart::kInserted || def->source != hlo::kNoId) {
        continue;
      }
      constraints.push_back(def->number);
      members.push_back(links.Tensor({def->number, kNone}, 0, 0));
    }
    for (const propagation::OpId op : constraints) split_groups_[op] = members;
  }
}

std::optional<Refusal> Refuser::Refuse(const MissedUpdate& missed) const {
  return Judge(log_, links_, maps_, options_, split_groups_, missed).Run();
}

}  // namespace tessera::sharding::explain
