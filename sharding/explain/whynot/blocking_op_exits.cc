#include "tessera/sharding/explain/whynot/blocking_op_exits.h"

#include "absl/algorithm/container.h"
#include "absl/types/span.h"

namespace tessera::sharding::explain {
namespace {

using factors::FactorUse;
using factors::OpShardingRule;

// An operand has the factor, and a result.
bool PassesThrough(const OpShardingRule& rule, int g) {
  const absl::Span<const FactorUse> uses = rule.uses(g);
  return uses.front().tensor < rule.num_operands() && uses.back().tensor >= rule.num_operands();
}

// Dimensions of other tensors that end at the op, seen from this tensor.
std::vector<std::pair<int, int>> DimsApart(const OpShardingRule& rule, int tensor) {
  std::vector<std::pair<int, int>> apart;
  for (int t = 0; t < rule.num_tensors(); ++t) {
    if (t == tensor) continue;
    for (int d = 0; d < rule.rank(t); ++d) {
      const bool is_apart = absl::c_none_of(rule.factors(t, d), [&](int g) {
        return rule.contains(tensor, g) || PassesThrough(rule, g);
      });
      if (is_apart) apart.emplace_back(t, d);
    }
  }
  return apart;
}

}  // namespace

void BlockingOpExits::OfConditional(const OpLink& link, int dim, OnExit on_exit) const {
  // Result k and what each branch yields as its k-th.
  const int operands = links_.NumOperands(link.actor);
  const int results = static_cast<int>(log_.numbered().results(link.actor.op).size());
  if (link.tensor < operands || results == 0) return;
  const int k = (link.tensor - operands) % results;
  for (int t = operands + k; t < links_.NumTensors(link.actor); t += results) {
    if (t == link.tensor) continue;
    on_exit(RefusalKind::kPredicateConditional, links_.Tensor(link.actor, t, dim));
  }
}

void BlockingOpExits::OfOpWithoutRule(const OpLink& link, int dim, OnExit on_exit) const {
  for (int t = 0; t < links_.NumTensors(link.actor); ++t) {
    if (t != link.tensor) AllDimsOf(link, t, dim, RefusalKind::kNoRule, on_exit);
  }
}

// The dimension is made by the op, or the other tensor's one ends at it.
void BlockingOpExits::OfRule(const OpShardingRule& rule, const OpLink& link, int dim,
                             OnExit on_exit) {
  const RuleExits& exits = ExitsOf(rule, link.tensor, dim);
  for (const auto& [t, d] : exits.far) {
    on_exit(RefusalKind::kNoSharedFactor, links_.Tensor(link.actor, t, d));
  }
  if (!exits.is_born) return;
  for (int t = 0; t < rule.num_tensors(); ++t) {
    if (t != link.tensor) AllDimsOf(link, t, dim, RefusalKind::kNoSharedFactor, on_exit);
  }
}

const BlockingOpExits::RuleExits& BlockingOpExits::ExitsOf(const OpShardingRule& rule, int tensor,
                                                           int dim) {
  std::vector<RuleExits>& all = of_rules_[&rule];
  int place = dim;
  for (int t = 0; t < tensor; ++t) place += rule.rank(t);
  if (all.size() <= static_cast<size_t>(place)) all.resize(static_cast<size_t>(place) + 1);
  RuleExits& exits = all[static_cast<size_t>(place)];
  if (exits.is_known) return exits;
  exits.is_known = true;
  exits.is_born =
      tensor >= rule.num_operands() &&
      absl::c_all_of(rule.factors(tensor, dim), [&](int f) { return rule.uses(f).size() == 1; });
  if (!exits.is_born) exits.far = DimsApart(rule, tensor);
  return exits;
}

// The one of the same number first.
void BlockingOpExits::AllDimsOf(const OpLink& link, int t, int dim, RefusalKind kind,
                                OnExit on_exit) const {
  const SlotId slot = links_.Tensor(link.actor, t, 0).slot;
  if (!log_.IsOutput(slot) && !log_.numbered().has_shape(slot)) return;
  const int rank = links_.RankOf(slot);
  if (dim < rank) on_exit(kind, links_.Tensor(link.actor, t, dim));
  for (int d = 0; d < rank; ++d) {
    if (d != dim) on_exit(kind, links_.Tensor(link.actor, t, d));
  }
}

void BlockingOpExits::ForEach(const OpLink& link, int dim, OnExit on_exit) {
  const OpShardingRule* rule = links_.RuleOf(link.actor);
  if (links_.IsPredicateConditional(link.actor)) {
    OfConditional(link, dim, on_exit);
  } else if (rule == nullptr) {
    OfOpWithoutRule(link, dim, on_exit);
  } else {
    OfRule(*rule, link, dim, on_exit);
  }
}

}  // namespace tessera::sharding::explain
