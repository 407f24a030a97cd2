// The graph, made ready for propagation: calls are transparent, edges and groups stand, constraints
// have bound what they constrain.

#include "tessera/sharding/graph/import/canonicalize.h"
#include "tessera/sharding/graph/prepare/calls.h"
#include "tessera/sharding/graph/prepare/constants.h"
#include "tessera/sharding/graph/prepare/constraints.h"
#include "tessera/sharding/graph/prepare/edges.h"
#include "tessera/sharding/graph/prepare/groups.h"
#include "tessera/sharding/graph/prepare/manual_axes.h"
#include "tessera/sharding/graph/prepare/size_one_axes.h"
#include "tessera/sharding/passes/graph_passes.h"
#include "tessera/sharding/passes/pass_lists.h"

namespace tessera::sharding::passes {
namespace {

constexpr Phase kPrepare = Phase::kPrepare;

Pipeline UpToEdges() {
  return {
      {"symbol-dce", kPrepare, "symbol-dce", "functions that the entry does not reach go",
       OnGraph(graph::RemoveUnusedFunctions)},
      {"sdy-remove-size-one-axes", kPrepare, "sdy-remove-size-one-axes",
       "axes of size 1 leave all shardings; meshes keep them", OnGraph(graph::RemoveSizeOneAxes)},
      {"sdy-propagate-sharding-from-func-to-call", kPrepare,
       "sdy-propagate-sharding-from-func-to-call",
       "calls without a sharding take those of their callee's results",
       OnGraph(graph::TakeCalleeResultShardings)},
      {"sdy-constant-or-scalar-splitter", kPrepare, "sdy-constant-or-scalar-splitter",
       "every reader of a constant expression gets a copy of its own",
       OnGraph(graph::SplitConstants)},
      {"sdy-manual-axes-cleanup", kPrepare, "sdy-manual-axes-cleanup",
       "manual axes in mesh order, and reserved where in- and out-shardings leave them out",
       OnGraph(graph::ReserveManualAxes)},
      {"sdy-add-data-flow-edges", kPrepare, "sdy-add-data-flow-edges",
       "an edge behind each result of a loop, branch, barrier or manual computation",
       OnGraph(graph::AddEdges)},
      {"sdy-flatten-call-graph", kPrepare, "sdy-flatten-call-graph",
       "a function of its own for each call", OnGraph(graph::SeparateCallees)},
  };
}

Pass ImportCalls() {
  return {"sdy-import-func-calls", kPrepare, "sdy-import-func-calls",
          "calls become named computations with the callee's body inside",
          OnGraph(graph::InlineCalls)};
}

Pass ApplyConstraints() {
  return {"sdy-apply-sharding-constraints", kPrepare, "sdy-apply-sharding-constraints",
          "the operand of a closed constraint takes its sharding",
          OnGraph(graph::ApplyConstraints)};
}

Pass ImportGroups() {
  return {"sdy-sharding-group-import", kPrepare, "sdy-sharding-group-import",
          "sharding groups that share a value are merged, checked and numbered from 0",
          OnGraph(graph::MergeGroups)};
}

Pipeline CallsBeforeConstraints() { return {ImportCalls(), ApplyConstraints(), ImportGroups()}; }

Pipeline ConstraintsBeforeCalls() {
  return {
      {"sdy-add-func-data-flow-edges", kPrepare, "sdy-add-func-data-flow-edges",
       "edges for the results of calls and the parameters of functions",
       OnGraph(graph::AddCallEdges)},
      ApplyConstraints(),
      {"sdy-sink-func-data-flow-edges", kPrepare, "sdy-sink-func-data-flow-edges",
       "these edges go; the shardings that they took stay", OnGraph(graph::SinkCallEdges)},
      ImportGroups(),
      ImportCalls(),
  };
}

}  // namespace

Pipeline PreparePasses(const PassOptions& options) {
  return Concatenate({UpToEdges(), options.behaviors.constraints_bind_before_inlining
                                       ? ConstraintsBeforeCalls()
                                       : CallsBeforeConstraints()});
}

}  // namespace tessera::sharding::passes
