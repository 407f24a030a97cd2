// OpLinks: at which ops each tensor takes part, as propagation steps them.
//
//   OpLinks links(log);
//   for (const OpLink& link : links.Of(slot)) {
//     links.RuleOf(link.actor);                      // null for a blocking op
//     links.Tensor(link.actor, other, dim).slot;     // the op's other tensors
//   }
//
// Data-flow edges and outputs of the main function count as ops, with rules that say that their
// tensors agree; the tensors of a blocking op are its operands and results. Those of a conditional that is
// a blocking op are followed by what its branches yield, branch by branch. Dead ops are left out.
//
// To be made before the passes after propagation run.
//
// Cost: linear in the program. Tested by why_not_test.cc.

#ifndef TESSERA_SHARDING_EXPLAIN_WHYNOT_OP_LINKS_H_
#define TESSERA_SHARDING_EXPLAIN_WHYNOT_OP_LINKS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "tessera/sharding/explain/event_log.h"
#include "tessera/sharding/explain/whynot/reasons/refusal.h"
#include "tessera/sharding/factors/projection.h"

namespace tessera::sharding::explain {

struct OpLink {
  Actor actor;
  int tensor = 0;
};

// The meshes of the tensors of an op, compared.
enum class MeshState : uint8_t { kCommon, kNone, kMismatch, kSingleDevice };

class OpLinks {
 public:
  explicit OpLinks(const EventLog& log);

  // In program order: the op that makes the tensor first, outputs last.
  absl::Span<const OpLink> Of(SlotId slot) const {
    return {links_.data() + begin_[slot], static_cast<size_t>(begin_[slot + 1] - begin_[slot])};
  }
  const factors::OpShardingRule* RuleOf(Actor actor) const;
  int NumTensors(Actor actor) const;
  int NumOperands(Actor actor) const;
  Endpoint Tensor(Actor actor, int t, int dim) const {
    if (actor.op == propagation::kNone) return log_.TensorOf(actor.op, actor.output, t, dim);
    const propagation::ValueId value =
        values_[static_cast<size_t>(first_value_[static_cast<size_t>(actor.op)] + t)];
    return {log_.SlotOf(value), value, t, dim};
  }
  bool IsPredicateConditional(Actor actor) const { return conditionals_.contains(actor.op); }

  int RankOf(SlotId slot) const;
  // The sharding that the slot had before event number `bound`; with EventLog::kEnd, that
  // propagation left.
  ShardingId ShardingAt(SlotId slot, int32_t bound) const;

  // Projects the op's tensors, as they were before event `bound`. `mesh` is set if they have one.
  MeshState Project(Actor actor, int32_t bound, factors::FactorTable* table,
                    MeshId* mesh = nullptr) const;

 private:
  void FindConditionals();
  void Collect(std::vector<std::pair<SlotId, OpLink>>* all) const;
  std::vector<propagation::ValueId> TensorsOf(propagation::OpId op) const;
  const propagation::EdgeSpec* EdgeOf(Actor actor) const;
  MeshState FindMesh(absl::Span<const ShardingId> ids, MeshId* mesh) const;

  const EventLog& log_;
  std::vector<factors::OpShardingRule> output_rules_;
  // Of conditionals that are blocking ops: operands, results, what each branch yields.
  absl::flat_hash_map<propagation::OpId, std::vector<propagation::ValueId>> conditionals_;
  std::vector<propagation::ValueId> values_;  // tensors of ops, one op after the other
  std::vector<int32_t> first_value_;          // by op
  std::vector<OpLink> links_;
  std::vector<int32_t> begin_;  // by slot, and one more
};

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_WHYNOT_OP_LINKS_H_
