// Each reshard becomes a chain of reshards, one for each collective of Shardy's plan (to_collectives.h).
//
//   reshard x [{"a"}, {"b"}] -> [{"b"}, {"a"}], a=4, b=2:
//     a permute to [{"b", "a":(2)2}, {"a":(1)2}], then an all-to-all
//
// A value on a single device keeps its reshard. Linear in the number of reshards. Tested by shard_test.cc.

#include <vector>

#include "tessera/sharding/passes/export/export.h"
#include "tessera/sharding/passes/export/reshard_inserter.h"
#include "tessera/sharding/passes/program/sharding_access.h"
#include "tessera/sharding/program/walk.h"
#include "tessera/sharding/reshard/to_collectives.h"

namespace tessera::sharding::passes {
namespace {

// All steps but the last, which is the reshard itself.
void Split(HloProgram& program, Op* op) {
  ReshardInserter inserter(program);
  Use& use = op->operands[0];
  const TensorSharding* const from = inserter.Of(use.value());
  const TensorSharding* const to = inserter.Of(op->result());
  if (to == nullptr || !use.value()->is_array()) return;
  const auto plan = reshard::ToCollectives(
      use.value()->shape().dims(),
      from != nullptr ? *from : TensorSharding::FullyClosed(to->mesh_id(), to->rank()), *to,
      program.meshes());
  if (!plan.ok() || !plan->is_complete) return;
  for (size_t k = 0; k + 1 < plan->steps.size(); ++k) {
    use.Set(inserter.AddReshard(use.value(), plan->steps[k].sharding, InsertPoint::Before(op))
                ->result());
  }
}

}  // namespace

void ReshardsToCollectives(HloProgram& program) {
  std::vector<Op*> reshards;
  ForEachOp(program, [&](Op* op) {
    if (op->kind == OpKind::kReshard) reshards.push_back(op);
  });
  for (Op* op : reshards) Split(program, op);
}

}  // namespace tessera::sharding::passes
