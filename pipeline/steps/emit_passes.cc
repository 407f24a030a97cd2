#include "tessera/pipeline/steps/emit_passes.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/edit.h"
#include "tessera/hlo/printer.h"
#include "tessera/layout/shape.h"
#include "tessera/pipeline/answer/reference_form.h"
#include "tessera/pipeline/command_line/heap.h"
#include "tessera/pipeline/passes/clean_up.h"
#include "tessera/pipeline/passes/lines/implied_lines.h"
#include "tessera/pipeline/writers/keep_writer.h"
#include "tessera/pipeline/writers/xla_writer.h"
#include "tessera/sharding/frontend.h"
#include "tessera/sharding/graph/export/sink_constants.h"
#include "tessera/sharding/graph/export_plan.h"
#include "tessera/sharding/graph/plan/plan_simplify.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::graph::Encoding;
using sharding::graph::ExportPlan;
using sharding::graph::PlanComputation;
using sharding::passes::Context;
using sharding::passes::Phase;
using sharding::passes::Pipeline;

// Devices that the result is for: what the header says, else the largest mesh.
int64_t NumPartitions(const Context& c) {
  int64_t partitions = c.module.header().num_partitions;
  if (partitions > 1) return partitions;
  const sharding::MeshTable& meshes = c.graph->meshes();
  for (sharding::MeshId id = 0; id < meshes.size(); ++id) {
    partitions = std::max(partitions, meshes.mesh(id).num_devices());
  }
  return partitions;
}

absl::Status MakePlan(const ShardOptions& options, Context* c) {
  sharding::graph::PlanOptions plan;
  const bool named_by_default = options.reference.behaviors.named_shardings_by_default
                                    ? !sharding::graph::HasSdyAnnotations(c->module)
                                    : c->import.encoding == Encoding::kNamed;
  plan.named =
      options.format == Format::kV3 || (options.format == Format::kAuto && named_by_default);
  plan.tuple_args = HasTupleArgs(c->module);
  plan.num_partitions = NumPartitions(*c);
  c->plan = std::make_unique<ExportPlan>(sharding::graph::MakeExportPlan(*c->graph, plan));
  return absl::OkStatus();
}

// One computation of the text became several: its calls came out with different shardings.
bool HasSplitComputation(const Context& c) {
  std::vector<bool> seen(c.module.num_computations(), false);
  for (const PlanComputation& computation : c.plan->computations) {
    if (computation.source == hlo::kNoId) continue;
    if (computation.nodes.empty() && !computation.verbatim) continue;
    if (seen[computation.source]) return true;
    seen[computation.source] = true;
  }
  return false;
}

// The plan is all that a writer reads, and the graph is a third of the memory. Shapes that the
// graph alone has go to the module.
void ReleaseGraph(Context* c) {
  absl::flat_hash_map<const layout::Shape*, const layout::Shape*> kept;
  for (PlanComputation& computation : c->plan->computations) {
    for (sharding::graph::PlanNode& node : computation.nodes) {
      if (node.shape == nullptr) continue;
      const auto [it, is_new] = kept.try_emplace(node.shape);
      if (is_new) it->second = &c->module.interned_shape(c->module.InternShape(*node.shape));
      node.shape = it->second;
    }
  }
  c->graph = nullptr;
}

// A text has room for one form of each computation: where calls need several, the pipeline runs
// again with a copy for each of them. So it does with lines for instructions that have none but
// need one.
absl::Status WriteKept(Context& c) {
  if (!c.rerun.calls_are_separate && HasSplitComputation(c)) {
    c.plan = nullptr;  // nobody reads what was found
    c.graph = nullptr;
    TESSERA_ASSIGN_OR_RETURN(c.rerun.module, passes::SeparateCalls(c.module));
    c.rerun.calls_are_separate = true;
    return absl::OkStatus();
  }
  ReleaseGraph(&c);
  const std::optional<hlo::Editor> edits = writers::EditsOfKeep(c.module, *c.plan);
  if (edits.has_value()) {
    c.plan = nullptr;  // before the result takes its place
    GiveBackFreePages();
    c.text = edits->Apply();
    return absl::OkStatus();
  }
  c.plan = nullptr;
  TESSERA_ASSIGN_OR_RETURN(c.rerun.module, passes::WithAllLines(c.module));
  return absl::OkStatus();
}

absl::Status WriteNew(const ShardOptions& options, Context* c) {
  ReleaseGraph(c);
  c->text = hlo::PrintModule(writers::WriteXla(c->module, *c->plan),
                             DumpFormOf(options.reference.behaviors));
  return absl::OkStatus();
}

sharding::passes::Pass Writer(const ShardOptions& options) {
  if (options.structure == Structure::kKeep) {
    return {"write-kept-text", Phase::kEmit, "-",
            "edits of the text that was read; all other bytes stay", WriteKept};
  }
  return {"write-xla-module", Phase::kEmit, "-", "a new module as the reference leaves it, printed",
          [&options](Context& c) { return WriteNew(options, &c); }};
}

}  // namespace

bool HasTupleArgs(const hlo::Module& module) {
  const auto& attributes = module.header().frontend_attributes;
  return std::any_of(attributes.begin(), attributes.end(), [](const auto& attribute) {
    return attribute.first == sharding::kUseTupleArgsAttribute;
  });
}

Pipeline EmitPasses(const ShardOptions& options) {
  return {
      {"sink-constants-to-control-flow", Phase::kEmit,
       "stablehlo-ext-sink-constants-to-control-flow",
       "constants that loops and branches read from outside are written again inside",
       [](Context& c) {
         sharding::graph::SinkConstants(*c.graph);
         return absl::OkStatus();
       }},
      {"make-export-plan", Phase::kEmit, "-",
       "the graph lowered to HLO form: tuples, parameters and called computations",
       [&options](Context& c) { return MakePlan(options, &c); }},
      {"tuple-simplifier", Phase::kEmit, "tuple-simplifier",
       "elements of tuples become what was put in; dead instructions go",
       [](Context& c) {
         sharding::graph::SimplifyPlan(*c.plan);
         return absl::OkStatus();
       }},
      Writer(options),
  };
}

}  // namespace tessera::pipeline
