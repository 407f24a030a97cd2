#include "tessera/sharding/explain/whynot/wall_exits.h"

#include "absl/algorithm/container.h"
#include "absl/types/span.h"

namespace tessera::sharding::explain {
namespace {

using factors::FactorUse;
using factors::OpShardingRule;

class Exits {
 public:
  Exits(const EventLog& log, const OpLinks& links, const OpLink& link, int dim, OnExit on_exit)
      : log_(log), links_(links), link_(link), dim_(dim), on_exit_(on_exit) {}

  void OfConditional() {
    // Result k and what each branch yields as its k-th.
    const int operands = links_.NumOperands(link_.actor);
    const int results = static_cast<int>(log_.numbered().results(link_.actor.op).size());
    if (link_.tensor < operands || results == 0) return;
    const int k = (link_.tensor - operands) % results;
    for (int t = operands + k; t < links_.NumTensors(link_.actor); t += results) {
      if (t == link_.tensor) continue;
      on_exit_(RefusalKind::kPredicateConditional, links_.Tensor(link_.actor, t, dim_));
    }
  }

  void OfOpWithoutRule() {
    for (int t = 0; t < links_.NumTensors(link_.actor); ++t) {
      if (t != link_.tensor) AllDimsOf(t, RefusalKind::kNoRule);
    }
  }

  // The dimension is made by the op, or the other tensor's one ends at it.
  void OfRule(const OpShardingRule& rule) {
    const absl::Span<const int32_t> own = rule.factors(link_.tensor, dim_);
    const bool is_born = link_.tensor >= rule.num_operands() &&
                         absl::c_all_of(own, [&](int f) { return rule.uses(f).size() == 1; });
    for (int t = 0; t < rule.num_tensors(); ++t) {
      if (t == link_.tensor) continue;
      if (is_born) {
        AllDimsOf(t, RefusalKind::kNoSharedFactor);
        continue;
      }
      for (int d = 0; d < rule.rank(t); ++d) {
        const bool is_apart = absl::c_none_of(rule.factors(t, d), [&](int g) {
          return rule.contains(link_.tensor, g) || PassesThrough(rule, g);
        });
        if (is_apart) on_exit_(RefusalKind::kNoSharedFactor, links_.Tensor(link_.actor, t, d));
      }
    }
  }

 private:
  // The one of the same number first.
  void AllDimsOf(int t, RefusalKind kind) {
    const SlotId slot = links_.Tensor(link_.actor, t, 0).slot;
    if (!log_.IsOutput(slot) && !log_.numbered().has_shape(slot)) return;
    const int rank = links_.RankOf(slot);
    if (dim_ < rank) on_exit_(kind, links_.Tensor(link_.actor, t, dim_));
    for (int d = 0; d < rank; ++d) {
      if (d != dim_) on_exit_(kind, links_.Tensor(link_.actor, t, d));
    }
  }

  // An operand has the factor, and a result.
  static bool PassesThrough(const OpShardingRule& rule, int g) {
    const absl::Span<const FactorUse> uses = rule.uses(g);
    return uses.front().tensor < rule.num_operands() && uses.back().tensor >= rule.num_operands();
  }

  const EventLog& log_;
  const OpLinks& links_;
  const OpLink& link_;
  const int dim_;
  OnExit on_exit_;
};

}  // namespace

void ForEachExit(const EventLog& log, const OpLinks& links, const OpLink& link, int dim,
                 OnExit on_exit) {
  Exits exits(log, links, link, dim, on_exit);
  const OpShardingRule* rule = links.RuleOf(link.actor);
  if (links.IsPredicateConditional(link.actor)) {
    exits.OfConditional();
  } else if (rule == nullptr) {
    exits.OfOpWithoutRule();
  } else {
    exits.OfRule(*rule);
  }
}

}  // namespace tessera::sharding::explain
