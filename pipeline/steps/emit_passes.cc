#include "tessera/pipeline/steps/emit_passes.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/hlo/edit.h"
#include "tessera/hlo/printer.h"
#include "tessera/pipeline/answer/reference_form.h"
#include "tessera/pipeline/command_line/process/heap.h"
#include "tessera/pipeline/passes/clean_up.h"
#include "tessera/pipeline/passes/lines/implied_lines.h"
#include "tessera/pipeline/writers/keep_writer.h"
#include "tessera/pipeline/writers/xla_writer.h"
#include "tessera/sharding/frontend.h"
#include "tessera/sharding/passes/emit/hlo_form.h"
#include "tessera/sharding/passes/emit/sink_constants.h"
#include "tessera/sharding/passes/emit/tuple_simplifier.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::passes::Context;
using sharding::passes::Encoding;
using sharding::passes::HloComputation;
using sharding::passes::HloForm;
using sharding::passes::Phase;
using sharding::passes::Pipeline;

// Devices that the result is for: what the header says, else the largest mesh.
int64_t NumPartitions(const Context& c) {
  int64_t partitions = c.module.header().num_partitions;
  if (partitions > 1) return partitions;
  const sharding::MeshTable& meshes = c.program->meshes();
  for (sharding::MeshId id = 0; id < meshes.size(); ++id) {
    partitions = std::max(partitions, meshes.mesh(id).num_devices());
  }
  return partitions;
}

absl::Status Lower(const ShardOptions& options, Context* c) {
  sharding::passes::LoweringOptions lowering;
  const bool named_by_default = options.reference.behaviors.named_shardings_by_default
                                    ? !sharding::passes::HasSdyAnnotations(c->module)
                                    : c->import.encoding == Encoding::kNamed;
  lowering.named =
      options.format == Format::kV3 || (options.format == Format::kAuto && named_by_default);
  lowering.tuple_args = HasTupleArgs(c->module);
  lowering.num_partitions = NumPartitions(*c);
  c->form = std::make_unique<HloForm>(sharding::passes::LowerToHlo(*c->program, lowering));
  return absl::OkStatus();
}

// One computation of the text became several: its calls came out with different shardings.
bool HasSplitComputation(const Context& c) {
  std::vector<bool> seen(c.module.num_computations(), false);
  for (const HloComputation& computation : c.form->computations) {
    if (computation.source == hlo::kNoId) continue;
    if (computation.num_nodes() == 0 && !computation.verbatim) continue;
    if (seen[computation.source]) return true;
    seen[computation.source] = true;
  }
  return false;
}

// Nobody reads it any more, and it is a third of the memory.
void ReleaseProgram(Context* c) {
  c->form = nullptr;
  c->program = nullptr;
}

// A text has room for one form of each computation: where calls need several, the pipeline runs
// again with a copy for each of them. So it does with lines for instructions that have none but
// need one.
absl::Status WriteKept(Context& c) {
  if (!c.rerun.calls_are_separate && HasSplitComputation(c)) {
    ReleaseProgram(&c);
    TESSERA_ASSIGN_OR_RETURN(c.rerun.module, passes::SeparateCalls(c.module));
    c.rerun.calls_are_separate = true;
    return absl::OkStatus();
  }
  const std::optional<hlo::Editor> edits = writers::EditsOfKeep(c.module, *c.form);
  ReleaseProgram(&c);  // before the result takes its place
  if (edits.has_value()) {
    GiveBackFreePages();
    c.text = edits->Apply();
    return absl::OkStatus();
  }
  TESSERA_ASSIGN_OR_RETURN(c.rerun.module, passes::WithAllLines(c.module));
  return absl::OkStatus();
}

absl::Status WriteNew(const ShardOptions& options, Context* c) {
  c->text = hlo::PrintModule(writers::WriteXla(c->module, *c->form),
                             DumpFormOf(options.reference.behaviors));
  return absl::OkStatus();
}

sharding::passes::Pass Writer(const ShardOptions& options) {
  if (options.structure == Structure::kKeep) {
    return {"write-kept-text", Phase::kEmit, "-", "edits the input text; all other bytes stay",
            WriteKept};
  }
  return {"write-xla-module", Phase::kEmit, "-", "prints a new module as the reference leaves it",
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
       "copies outer constants into the loops and branches that read them",
       [](Context& c) {
         sharding::passes::SinkConstants(*c.program);
         return absl::OkStatus();
       }},
      {"lower-to-hlo", Phase::kEmit, "-",
       "converts the program to HLO form: tuples, parameters and called computations",
       [&options](Context& c) { return Lower(options, &c); }},
      {"tuple-simplifier", Phase::kEmit, "tuple-simplifier",
       "replaces elements of tuples by their operands; removes dead instructions",
       [](Context& c) {
         sharding::passes::SimplifyTuples(*c.program, *c.form);
         return absl::OkStatus();
       }},
      Writer(options),
  };
}

}  // namespace tessera::pipeline
