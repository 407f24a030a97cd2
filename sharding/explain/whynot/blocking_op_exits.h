// The dimensions on the other side of a blocking op: ops through which no axis passes between two
// dimensions.
//
//   BlockingOpExits exits(log, links);
//   // y = dot(x, w), asked about dimension 0 of y
//   exits.ForEach(link, 0, [&](RefusalKind kind, const Endpoint& far) { .. });
//       // kNoSharedFactor, x dim 1: contracted
//
// Blocking ops are ops without a rule, conditionals that select by pred, and ops at which a dimension ends
// or begins. The exits that a rule gives a dimension are found once, however many ops have the rule.
// Tested by why_not_test.cc.

#ifndef TESSERA_SHARDING_EXPLAIN_WHYNOT_BLOCKING_OP_EXITS_H_
#define TESSERA_SHARDING_EXPLAIN_WHYNOT_BLOCKING_OP_EXITS_H_

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "tessera/sharding/explain/event_log.h"
#include "tessera/sharding/explain/whynot/op_links.h"
#include "tessera/sharding/explain/whynot/reasons/refusal.h"

namespace tessera::sharding::explain {

using OnExit = absl::FunctionRef<void(RefusalKind kind, const Endpoint& far)>;

class BlockingOpExits {
 public:
  BlockingOpExits(const EventLog& log, const OpLinks& links) : log_(log), links_(links) {}

  // Of the op of `link`, from dimension `dim` of its tensor.
  void ForEach(const OpLink& link, int dim, OnExit on_exit);

 private:
  // Of a dimension of a tensor of a rule.
  struct RuleExits {
    bool is_known = false;
    bool is_born = false;                       // made by the op: all dimensions are exits
    std::vector<std::pair<int, int>> far = {};  // else: tensors and dimensions
  };

  void OfConditional(const OpLink& link, int dim, OnExit on_exit) const;
  void OfOpWithoutRule(const OpLink& link, int dim, OnExit on_exit) const;
  void OfRule(const factors::OpShardingRule& rule, const OpLink& link, int dim, OnExit on_exit);
  void AllDimsOf(const OpLink& link, int t, int dim, RefusalKind kind, OnExit on_exit) const;
  const RuleExits& ExitsOf(const factors::OpShardingRule& rule, int tensor, int dim);

  const EventLog& log_;
  const OpLinks& links_;
  // By rule: for the dimensions of its tensors, one tensor after the other.
  absl::flat_hash_map<const factors::OpShardingRule*, std::vector<RuleExits>> of_rules_;
};

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_WHYNOT_BLOCKING_OP_EXITS_H_
