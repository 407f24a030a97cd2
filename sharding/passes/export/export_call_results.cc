// The results of calls: they have the shardings that the function gives them, and a reshard stands
// between where the users of the call expect others; see export_calls.cc.

#include <algorithm>
#include <vector>

#include "tessera/sharding/passes/export/export.h"
#include "tessera/sharding/passes/export/export_sharing.h"
#include "tessera/sharding/passes/program/sharding_access.h"
#include "tessera/sharding/program/walk.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::passes {
namespace {

// A reshard of `value` to `target` right after its op, which takes over all uses.
void ReshardAfter(HloProgram& program, Value* value, ShardingId target) {
  Op* reshard = program.AddOp({OpKind::kReshard, hlo::kNoId, OpPart::kInserted, true}, {value},
                              {&value->shape()}, InsertPoint::After(value));
  reshard->result()->set_sharding(target);
  value->ReplaceOtherUsesWith(reshard->result());
}

// A function without shardings returns replicated values: fully closed ones for all results of a
// call that has some sharding, nothing for a call that has none.
std::vector<ShardingId> ReplicatedLike(HloProgram& program, const Op* call) {
  const auto like = std::find_if(call->results.begin(), call->results.end(),
                                 [](const Value& v) { return v.has_sharding(); });
  if (like == call->results.end()) return {};
  const MeshId mesh = program.Find(&*like)->mesh_id();
  std::vector<ShardingId> shardings;
  for (const Value& result : call->results) {
    shardings.push_back(
        program.shardings().Intern(TensorSharding::FullyClosed(mesh, RankOf(&result))));
  }
  return shardings;
}

void ReshardResults(HloProgram& program, Op* call) {
  const Function* callee = call->As<CallInfo>()->callee;
  std::vector<ShardingId> wanted = ResultShardings(program, callee);
  if (wanted.empty()) wanted = ReplicatedLike(program, call);
  for (int i = 0; i < call->num_results() && !wanted.empty(); ++i) {
    Value* result = call->result(i);
    const TensorSharding* made = program.Find(wanted[static_cast<size_t>(i)]);
    if (!AreEquivalent(made, program.Find(result))) {
      const ShardingId old = result->has_sharding()
                                 ? result->sharding()
                                 : program.shardings().Intern(FullyClosedLike(*made));
      ReshardAfter(program, result, old);
    }
    result->set_sharding(wanted[static_cast<size_t>(i)]);
  }
}

}  // namespace

void ReshardCallResults(HloProgram& program) {
  for (Op* call : CallsOf(program)) ReshardResults(program, call);
}

}  // namespace tessera::sharding::passes
