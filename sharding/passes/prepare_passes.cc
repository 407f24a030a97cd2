// The program, made ready for propagation: calls are transparent, edges and groups stand,
// constraints have bound what they constrain.

#include "tessera/sharding/passes/import/canonicalize.h"
#include "tessera/sharding/passes/pass_lists.h"
#include "tessera/sharding/passes/prepare/edges.h"
#include "tessera/sharding/passes/prepare/prepare.h"
#include "tessera/sharding/passes/program_passes.h"

namespace tessera::sharding::passes {
namespace {

constexpr Phase kPrepare = Phase::kPrepare;

Pipeline UpToEdges() {
  return {
      {"symbol-dce", kPrepare, "symbol-dce", "removes functions that the entry does not reach",
       OnProgram(RemoveUnusedFunctions)},
      {"sdy-remove-size-one-axes", kPrepare, "sdy-remove-size-one-axes",
       "removes axes of size 1 from all shardings; meshes keep them", OnProgram(RemoveSizeOneAxes)},
      {"sdy-propagate-sharding-from-func-to-call", kPrepare,
       "sdy-propagate-sharding-from-func-to-call",
       "calls without a sharding take the shardings of their callee's results",
       OnProgram(TakeCalleeResultShardings)},
      {"sdy-constant-or-scalar-splitter", kPrepare, "sdy-constant-or-scalar-splitter",
       "gives every reader of a constant expression its own copy", OnProgram(SplitConstants)},
      {"sdy-manual-axes-cleanup", kPrepare, "sdy-manual-axes-cleanup",
       "puts manual axes into mesh order, and reserves them where in- and out-shardings omit them",
       OnProgram(ReserveManualAxes)},
      {"sdy-add-data-flow-edges", kPrepare, "sdy-add-data-flow-edges",
       "adds an edge after each result of a loop, branch, barrier or manual computation",
       OnProgram(AddEdges)},
      {"sdy-flatten-call-graph", kPrepare, "sdy-flatten-call-graph",
       "gives each call its own function", OnProgram(SeparateCallees)},
  };
}

Pass ImportCallsPass() {
  return {"sdy-import-func-calls", kPrepare, "sdy-import-func-calls",
          "calls become named computations with the callee's body inside", OnProgram(InlineCalls)};
}

Pass ApplyConstraintsPass() {
  return {"sdy-apply-sharding-constraints", kPrepare, "sdy-apply-sharding-constraints",
          "the operand of a closed constraint takes its sharding", OnProgram(ApplyConstraints)};
}

Pass ImportGroupsPass() {
  return {"sdy-sharding-group-import", kPrepare, "sdy-sharding-group-import",
          "sharding groups that share a value are merged, checked and numbered from 0",
          OnProgram(MergeGroups)};
}

Pipeline CallsBeforeConstraints() {
  return {ImportCallsPass(), ApplyConstraintsPass(), ImportGroupsPass()};
}

Pipeline ConstraintsBeforeCalls() {
  return {
      {"sdy-add-func-data-flow-edges", kPrepare, "sdy-add-func-data-flow-edges",
       "adds edges for the results of calls and the parameters of functions",
       OnProgram(AddCallEdges)},
      ApplyConstraintsPass(),
      {"sdy-sink-func-data-flow-edges", kPrepare, "sdy-sink-func-data-flow-edges",
       "removes these edges and keeps their shardings", OnProgram(SinkCallEdges)},
      ImportGroupsPass(),
      ImportCallsPass(),
  };
}

}  // namespace

Pipeline PreparePasses(const PassOptions& options) {
  return Concatenate({UpToEdges(), options.behaviors.constraints_bind_before_inlining
                                       ? ConstraintsBeforeCalls()
                                       : CallsBeforeConstraints()});
}

}  // namespace tessera::sharding::passes
