#include "tessera/sharding/explain/whynot/reasons/cut_reasons.h"

#include <algorithm>
#include <functional>

#include "absl/algorithm/container.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/explain/whynot/arrivals.h"

namespace tessera::sharding::explain {
namespace {

using factors::FactorSharding;
using propagation::Cut;
using propagation::CutReason;
using propagation::RankedFactor;

// The first event after which, to the end, `holds` is true of the slot's sharding.
int32_t EventThatMade(const EventLog& log, SlotId slot,
                      const std::function<bool(const TensorSharding&)>& holds) {
  int32_t made = kNoIndex;
  bool held = false;
  for (const int32_t e : log.EventsOf(slot)) {
    if (log.event(e).time.stage >= Stage::kExport) break;
    const TensorSharding* after = log.program().Find(log.event(e).after);
    const bool holds_now = after != nullptr && holds(*after);
    if (holds_now && !held) made = e;
    held = holds_now;
  }
  return held ? made : kNoIndex;
}

class CutReader {
 public:
  CutReader(const EventLog& log, const OpLinks& links, const StepReplay& replay, const Cut& cut,
            Refusal* refusal)
      : log_(log), links_(links), replay_(replay), cut_(cut), refusal_(*refusal) {}

  void Read() {
    refusal_.kept = cut_.kept;
    refusal_.holder = At(cut_.tensor, cut_.factor);
    refusal_.size_have = replay_.rule().size(cut_.factor);
    refusal_.size_need = cut_.axis.size(replay_.mesh());
    switch (cut_.reason) {
      case CutReason::kOtherFactor:
        return ReadInUse();
      case CutReason::kReplicated:
        return ReadSaid(RefusalKind::kExplicitlyReplicated, [&](const TensorSharding& s) {
          return OverlapsAny(cut_.axis, s.replicated_axes());
        });
      case CutReason::kUnreduced:
        return ReadSaid(RefusalKind::kUnreduced, [&](const TensorSharding& s) {
          return OverlapsAny(cut_.axis, s.unreduced_axes());
        });
      case CutReason::kClosed:
      case CutReason::kOverflow:
        return ReadClosed();
      case CutReason::kResult:
        refusal_.kind = RefusalKind::kResultCap;
        return;
      default:
        return ReadNotDivisible();
    }
  }

 private:
  Endpoint At(int t, int factor) const {
    const factors::OpShardingRule& rule = replay_.rule();
    return links_.Tensor(refusal_.actor, t, rule.dim_of_cell(t, rule.cell(t, factor)));
  }

  // --- annotations -------------------------------------------------------------------------------

  void ReadSaid(RefusalKind kind, const std::function<bool(const TensorSharding&)>& holds) {
    refusal_.kind = kind;
    SetSayer(EventThatMade(log_, refusal_.holder.slot, holds));
  }

  // The annotation of the tensor itself, or the constraint that bound it.
  void SetSayer(int32_t number) {
    if (number == kNoIndex) return;
    const Event& event = log_.event(number);
    refusal_.event = number;
    refusal_.annotation = event.annotation;
    if (event.cause == EventCause::kConstraintPushed) {
      refusal_.annotation = AnnotationOf(log_.StepOf(event).op);
    }
  }

  int32_t AnnotationOf(propagation::OpId op) const {
    for (size_t a = 0; a < log_.annotations().size(); ++a) {
      if (log_.annotations()[a].op == op) return static_cast<int32_t>(a);
    }
    return kNoIndex;
  }

  void ReadClosed() {
    const int dim = refusal_.holder.dim;
    const TensorSharding* sharding = log_.Propagated(refusal_.holder.slot);
    const bool is_closed = sharding != nullptr && sharding->dim(dim).is_closed;
    if (!is_closed && SetSpill(replay_, cut_.tensor, cut_.factor, &refusal_)) return;
    ReadSaid(RefusalKind::kClosedDimension,
             [&](const TensorSharding& s) { return s.dim(dim).is_closed; });
  }

  void ReadNotDivisible() {
    refusal_.kind = RefusalKind::kNotDivisible;
    const AxisList& want = replay_.compatible_axes(cut_.factor);
    refusal_.size_before = ShardedSize(
        absl::MakeConstSpan(want).first(static_cast<size_t>(cut_.position)), replay_.mesh());
  }

  // --- what another dimension has ----------------------------------------------------------------

  void ReadInUse() {
    refusal_.kind = RefusalKind::kAxisInUse;
    refusal_.holder = At(cut_.tensor, cut_.other_factor);
    refusal_.held = InTheWay();
    const Came came = FindCame(log_, refusal_.holder.slot, refusal_.holder.dim, *refusal_.held);
    SetCame(came, &refusal_);
    if (came.is_flow && LostInStep(log_.event(came.event))) return;
    refusal_.kind = Qualified(came, refusal_.refused, RefusalKind::kAxisInUse);
  }

  AxisRef InTheWay() const {
    const FactorSharding& cell = *replay_.after().Find(cut_.tensor, cut_.other_factor);
    for (const AxisList* list : {&cell.axes, &cell.overflow}) {
      for (const AxisRef own : *list) {
        if (Overlaps(own, cut_.axis)) return own;
      }
    }
    return cut_.axis;
  }

  static const RankedFactor* RankOf(const StepReplay& then, int factor) {
    const auto found = absl::c_find_if(
        then.order(), [&](const RankedFactor& ranked) { return ranked.factor == factor; });
    return found == then.order().end() ? nullptr : &*found;
  }

  // The step that brought it wanted both, and took the other factor first.
  bool LostInStep(const Event& event) {
    const Step& step = log_.StepOf(event);
    if (!(Actor{step.op, step.output} == refusal_.actor)) return false;
    const StepReplay then(log_, links_, replay_.options(), refusal_.actor, event.bound,
                          event.time.level);
    if (then.mesh_state() != MeshState::kCommon) return false;
    const RankedFactor* winner = RankOf(then, cut_.other_factor);
    const RankedFactor* loser = RankOf(then, cut_.factor);
    const bool both = winner != nullptr && loser != nullptr && winner < loser &&
                      OverlapsAny(cut_.axis, then.compatible_axes(cut_.factor));
    if (!both) return false;
    refusal_.kind = RefusalKind::kLostConflict;
    refusal_.arrival = Arrival::kSameStep;
    refusal_.winner_elements = winner->source_size;
    refusal_.loser_elements = loser->source_size;
    if (winner->source >= 0) refusal_.winner = At(winner->source, cut_.other_factor);
    refusal_.tie_break = TieBreakOf(then.mode(), *winner, *loser);
    return true;
  }

  static TieBreak TieBreakOf(const propagation::StepMode& mode, const RankedFactor& winner,
                             const RankedFactor& loser) {
    if (winner.source_size != loser.source_size) return TieBreak::kLargerSource;
    if (mode.element_wise && winner.axes_product != loser.axes_product) {
      return TieBreak::kLargerAxisProduct;
    }
    return winner.source != loser.source ? TieBreak::kSourceIndex : TieBreak::kFactorIndex;
  }

  const EventLog& log_;
  const OpLinks& links_;
  const StepReplay& replay_;
  const Cut& cut_;
  Refusal& refusal_;
};

}  // namespace

void SetCutReason(const EventLog& log, const OpLinks& links, const StepReplay& replay,
                  const Cut& cut, Refusal* refusal) {
  CutReader(log, links, replay, cut, refusal).Read();
}

bool SetSpill(const StepReplay& replay, int tensor, int factor, Refusal* refusal) {
  const factors::OpShardingRule& rule = replay.rule();
  const int dim = rule.dim_of_cell(tensor, rule.cell(tensor, factor));
  for (int c = rule.first_cell(tensor, dim); c < rule.first_cell(tensor, dim + 1); ++c) {
    const FactorSharding& cell = replay.before().cell(c);
    if (cell.overflow.empty()) continue;
    refusal->kind = RefusalKind::kOverflow;
    refusal->size_have = rule.size(rule.cell_factor(c));
    refusal->size_need = cell.overflow.front().size(replay.mesh());
    refusal->held = cell.overflow.front();
    return true;
  }
  return false;
}

}  // namespace tessera::sharding::explain
