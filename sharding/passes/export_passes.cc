// The passes after propagation: what XLA's partitioner gets.

#include <functional>

#include "tessera/sharding/passes/export/export.h"
#include "tessera/sharding/passes/pass_lists.h"
#include "tessera/sharding/passes/prepare/edges.h"
#include "tessera/sharding/passes/program_passes.h"

namespace tessera::sharding::passes {
namespace {

constexpr Phase kExport = Phase::kExport;

std::function<absl::Status(Context&)> InsertReshards(bool is_full) {
  return [is_full](Context& c) {
    return InsertReshards(
        *c.program, [&](const Op* op) { return c.run->RuleOf(op); }, is_full);
  };
}

Pipeline BackToFunctions(const reference::Behaviors& behaviors) {
  Pipeline passes = {{"sdy-export-named-computations", kExport,
                      "sdy-export-named-computations, sdy-propagate-to-func-results",
                      "inlined calls become functions and calls again",
                      OnProgram(NamedToFunctions)}};
  if (behaviors.results_take_sharding_of_value) {
    passes.push_back({"sdy-propagate-to-func-results", kExport, "sdy-propagate-to-func-results",
                      "results of the entry without a sharding take the sharding of their value",
                      OnProgram(TakeShardingsOfResults)});
  }
  passes.push_back({"sdy-unflatten-call-graph", kExport, "sdy-unflatten-call-graph, symbol-dce",
                    "copies of a function with equal shardings at the boundary become one",
                    OnProgram(ShareFunctions)});
  passes.push_back({"sdy-insert-func-call-reshards", kExport, "sdy-insert-func-call-reshards",
                    "adds a reshard where the users of a call expect another sharding",
                    OnProgram(ReshardCallResults)});
  return passes;
}

Pipeline EndMarks() {
  return {
      {"sdy-constant-or-scalar-merger", kExport, "sdy-constant-or-scalar-merger",
       "equal constants, then equal broadcasts of scalars, become one", OnProgram(MergeConstants)},
      {"sdy-sink-data-flow-edges", kExport, "sdy-sink-data-flow-edges",
       "moves the shardings of edges to their values", OnProgram(SinkEdges)},
      {"sdy-remove-sharding-groups", kExport, "sdy-remove-sharding-groups",
       "removes sharding "
       "groups",
       OnProgram(RemoveGroups)},
      {"sdy-sharding-constraint-to-reshard", kExport, "sdy-sharding-constraint-to-reshard",
       "constraints become reshards", OnProgram(ConstraintsToReshards)},
  };
}

Pipeline FinishShardings(const PassOptions& options) {
  Pipeline passes;
  if (options.exporting.even_boundaries) {
    passes.push_back({"sdy-update-non-divisible-input-output-shardings", kExport,
                      "sdy-update-non-divisible-input-output-shardings",
                      "arguments and results of functions keep only axes that divide them evenly",
                      OnProgram(MakeBoundariesEven)});
  }
  if (options.behaviors.cut_sub_axes_at_border) {
    passes.push_back({"sdy-remove-sub-axes-in-input-output-shardings", kExport,
                      "sdy-remove-sub-axes-in-input-output-shardings",
                      "open dimensions of the entry's arguments and results lose sub-axes",
                      OnProgram(CutSubAxesOfEntry)});
  }
  passes.push_back({"sdy-close-shardings", kExport, "sdy-close-shardings",
                    "closes every dimension and drops replicated axes", OnProgram(CloseShardings)});
  return passes;
}

Pipeline MakeReshards(const PassOptions& options) {
  const reference::Behaviors& behaviors = options.behaviors;
  const bool is_full = options.exporting.explicit_collectives;
  Pipeline passes;
  if (behaviors.dropped_unreduced_axes_are_errors) {
    passes.push_back({"sdy-verify-unreduced-axes", kExport, "sdy-verify-unreduced-axes",
                      "reports unreduced axes that no op reduces as errors",
                      OnProgram(CheckUnreduced)});
  }
  passes.push_back({"sdy-insert-explicit-reshards", kExport, "sdy-insert-explicit-reshards",
                    "adds reshards where the tensors of an op conflict and the partitioner would "
                    "choose badly",
                    InsertReshards(is_full)});
  if (is_full) {
    passes.push_back({"sdy-reshard-to-collectives", kExport, "sdy-reshard-to-collectives",
                      "each reshard becomes a copy for each collective that it takes",
                      OnProgram(ReshardsToCollectives)});
  }
  if (behaviors.simplify_collectives) {
    passes.push_back({"canonicalize-collectives", kExport, "canonicalize",
                      "removes conversions of unreduced axes that undo each other",
                      OnProgram(SimplifyCollectives)});
  }
  passes.push_back({"remove-dead-ops", kExport, "canonicalize", "removes pure ops without users",
                    OnProgram(RemoveDeadOps)});
  passes.push_back({"move-unreduced-to-operands", kExport, "-",
                    "makes the operand of an op unreduced if the op only moves an unreduced value",
                    OnProgram(MoveUnreducedToOperands)});
  passes.push_back({"remove-propagation-barriers", kExport, "-", "removes propagation barriers",
                    OnProgram(RemoveBarriers)});
  return passes;
}

}  // namespace

Pipeline ExportPasses(const PassOptions& options) {
  return Concatenate({BackToFunctions(options.behaviors), EndMarks(), FinishShardings(options),
                      MakeReshards(options)});
}

}  // namespace tessera::sharding::passes
