#include "tessera/sharding/explain/whynot/reasons/fold_reasons.h"

#include <vector>

#include "tessera/sharding/explain/whynot/arrivals.h"

namespace tessera::sharding::explain {
namespace {

using factors::FactorUse;

class FoldReader {
 public:
  FoldReader(const EventLog& log, const OpLinks& links, const StepReplay& replay,
             const MissedUpdate& missed)
      : log_(log), links_(links), replay_(replay), missed_(missed) {}

  bool Set(int position, Refusal* refusal) const {
    const propagation::FoldStop* stop = StopUpTo(position);
    if (stop == nullptr) return false;
    refusal->kind = RefusalKind::kConflictingSources;
    refusal->position = stop->position;
    const size_t q = static_cast<size_t>(stop->position);
    refusal->other = At(stop->tensor);
    refusal->holder = At(FirstAgainst(stop->tensor, q));
    Qualify(q, refusal);
    return true;
  }

 private:
  const propagation::FoldStop* StopUpTo(int position) const {
    for (const propagation::FoldStop& stop : replay_.stops()) {
      if (stop.factor == missed_.factor && stop.position <= position) return &stop;
    }
    return nullptr;
  }

  const AxisList& AxesOf(const FactorUse& use) const {
    return replay_.before().cell(use.cell).axes;
  }

  Endpoint At(int t) const {
    const factors::OpShardingRule& rule = replay_.rule();
    return links_.Tensor(missed_.actor, t, rule.dim_of_cell(t, rule.cell(t, missed_.factor)));
  }

  // Another axis than `axis` at that position.
  bool Differs(const FactorUse& use, size_t q, AxisRef axis) const {
    return AxesOf(use).size() > q && AxesOf(use)[q] != axis;
  }

  AxisRef AxisOf(int tensor, size_t q) const {
    return replay_.before().Find(tensor, missed_.factor)->axes[q];
  }

  // The first tensor with which `tensor` disagrees.
  int FirstAgainst(int tensor, size_t q) const {
    for (const FactorUse& use : replay_.rule().uses(missed_.factor)) {
      if (use.tensor != tensor && Differs(use, q, AxisOf(tensor, q))) return use.tensor;
    }
    return missed_.from;
  }

  void Qualify(size_t q, Refusal* refusal) const {
    const AxisRef wanted = AxisOf(missed_.from, q);
    std::vector<FactorUse> in_the_way;
    for (const FactorUse& use : replay_.rule().uses(missed_.factor)) {
      if (!Differs(use, q, wanted)) continue;
      if (use.tensor == missed_.to) in_the_way.clear();
      in_the_way.push_back(use);
      if (use.tensor == missed_.to) break;
    }
    RefusalKind kind = RefusalKind::kConflictingSources;
    Came first;
    for (const FactorUse& use : in_the_way) {
      const Endpoint at = At(use.tensor);
      const Came came = FindCame(log_, at.slot, at.dim, AxesOf(use)[q]);
      kind = Qualified(came, refusal->refused, RefusalKind::kConflictingSources);
      if (kind == RefusalKind::kConflictingSources) return;
      if (first.event == kNoIndex) first = came;
    }
    if (kind == RefusalKind::kConflictingSources) return;
    refusal->kind = kind;
    refusal->holder = At(in_the_way.front().tensor);
    refusal->held = AxesOf(in_the_way.front())[q];
    SetCame(first, refusal);
  }

  const EventLog& log_;
  const OpLinks& links_;
  const StepReplay& replay_;
  const MissedUpdate& missed_;
};

}  // namespace

bool SetFoldReason(const EventLog& log, const OpLinks& links, const StepReplay& replay,
                   const MissedUpdate& missed, int position, Refusal* refusal) {
  return FoldReader(log, links, replay, missed).Set(position, refusal);
}

}  // namespace tessera::sharding::explain
