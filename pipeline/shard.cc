#include "tessera/pipeline/shard.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/printer.h"
#include "tessera/pipeline/border_notes.h"
#include "tessera/pipeline/input_place.h"
#include "tessera/pipeline/module_notes.h"
#include "tessera/pipeline/passes/clean_up.h"
#include "tessera/pipeline/passes/implied_lines.h"
#include "tessera/pipeline/passes/one_partition.h"
#include "tessera/pipeline/reference_form.h"
#include "tessera/pipeline/writers/keep_writer.h"
#include "tessera/pipeline/writers/xla_writer.h"
#include "tessera/sharding/frontend.h"
#include "tessera/sharding/graph/export.h"
#include "tessera/sharding/graph/export_plan.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::graph::Encoding;

absl::StatusOr<sharding::graph::ImportOptions> MakeImportOptions(const hlo::Module& module,
                                                                 const ShardOptions& options) {
  sharding::graph::ImportOptions import;
  import.encoding = options.import;
  if (import.encoding == Encoding::kAuto) import.encoding = sharding::graph::FindEncoding(module);
  import.mesh = options.mesh;
  import.behaviors = options.reference.behaviors;
  import.edits = options.edits;
  TESSERA_ASSIGN_OR_RETURN(import.annotations, FindAnnotated(module, options.annotations));
  return import;
}

absl::Status TakeModule(hlo::Module module, const ShardOptions& options, Sharded* s) {
  std::optional<hlo::Module> cleaned;
  if (options.stage != Stage::kPass) {
    auto result = passes::CleanUp(module);
    if (!result.ok()) return LocatedInInput(result.status(), module, module);
    cleaned = *std::move(result);
  }
  if (cleaned.has_value()) {
    s->original = std::move(module);
    s->module = *std::move(cleaned);
  } else {
    s->module = std::move(module);
  }
  return absl::OkStatus();
}

// Devices that the result is for: what the header says, else the largest mesh.
int64_t NumPartitions(const Sharded& s) {
  int64_t partitions = s.module.header().num_partitions;
  if (partitions > 1) return partitions;
  const sharding::MeshTable& meshes = s.graph->meshes();
  for (sharding::MeshId id = 0; id < meshes.size(); ++id) {
    partitions = std::max(partitions, meshes.mesh(id).num_devices());
  }
  return partitions;
}

bool HasTupleArgs(const hlo::Module& module) {
  const auto& attributes = module.header().frontend_attributes;
  return std::any_of(attributes.begin(), attributes.end(), [](const auto& attribute) {
    return attribute.first == sharding::kUseTupleArgsAttribute;
  });
}

sharding::graph::PlanOptions MakePlanOptions(const Sharded& s, const ShardOptions& options) {
  sharding::graph::PlanOptions plan;
  const bool named_by_default = options.reference.behaviors.named_shardings_by_default
                                    ? !sharding::graph::HasSdyAnnotations(s.module)
                                    : s.encoding == Encoding::kNamed;
  plan.named =
      options.format == Format::kV3 || (options.format == Format::kAuto && named_by_default);
  plan.tuple_args = HasTupleArgs(s.module);
  plan.num_partitions = NumPartitions(s);
  return plan;
}

absl::Status ImportAndRun(const ShardOptions& options, sharding::propagation::Observer* observer,
                          Sharded* s) {
  TESSERA_ASSIGN_OR_RETURN(const auto import, MakeImportOptions(s->module, options));
  s->encoding = import.encoding;
  s->notes = NotesOn(s->module, import, options.import);
  if (!options.reference.note.empty()) s->notes.push_back(options.reference.note);
  TESSERA_ASSIGN_OR_RETURN(s->graph, sharding::graph::ImportModule(s->module, import));
  if (options.exporting.even_boundaries) {
    for (const std::string& note : NotesOnBorder(s->module, *s->graph)) s->notes.push_back(note);
  }
  sharding::rules::RuleMode mode;
  mode.conservative = options.propagation.conservative;
  mode.behaviors = options.reference.behaviors;
  s->book = std::make_unique<sharding::rules::RuleBook>(&s->rules, mode);
  for (const auto& [target, rule] : options.rules) {
    TESSERA_RETURN_IF_ERROR(s->book->AddText(target, rule));
  }
  TESSERA_ASSIGN_OR_RETURN(auto run,
                           sharding::graph::PropagateGraph(s->graph.get(), s->book.get(), &s->rules,
                                                           options.propagation, observer));
  s->run = std::make_unique<sharding::graph::Propagated>(std::move(run));
  return absl::OkStatus();
}

// A new module with a tuple for the arguments takes the way of all modules; that does no harm where
// no shardings are. In the text that was read the parameters stay as they are, as always.
absl::StatusOr<bool> IsEditedOnly(const hlo::Module& module, const ShardOptions& options) {
  if (options.propagate) return false;
  if (!HasTupleArgs(module) || options.structure == Structure::kKeep) return true;
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    if (!module.HasAttribute(id, hlo::AttributeName::kSharding)) continue;
    return absl::UnimplementedError(
        "without propagation, structure xla does xla.sdy.use_tuple_args only for modules without "
        "shardings");
  }
  return false;
}

absl::Status Located(const absl::Status& status, const Sharded& s) {
  return LocatedInInput(status, s.module, s.original.has_value() ? *s.original : s.module);
}

struct Planned {
  std::unique_ptr<Sharded> s;
  sharding::graph::ExportPlan plan;
};

absl::StatusOr<Planned> MakePlan(hlo::Module module, const ShardOptions& options) {
  Planned planned;
  TESSERA_ASSIGN_OR_RETURN(planned.s, Propagate(std::move(module), options));
  TESSERA_RETURN_IF_ERROR(Finalize(options, planned.s.get()));
  planned.plan =
      sharding::graph::MakeExportPlan(*planned.s->graph, MakePlanOptions(*planned.s, options));
  return planned;
}

// One computation of the text became several: its calls came out with different shardings.
bool HasSplitComputation(const Planned& planned) {
  std::vector<bool> seen(planned.s->module.num_computations(), false);
  for (const sharding::graph::PlanComputation& c : planned.plan.computations) {
    if (c.source == hlo::kNoId || (c.nodes.empty() && !c.verbatim)) continue;
    if (seen[c.source]) return true;
    seen[c.source] = true;
  }
  return false;
}

std::string XlaText(const Planned& planned, const ShardOptions& options) {
  return hlo::PrintModule(writers::WriteXla(planned.s->module, planned.plan),
                          DumpFormOf(options.reference.behaviors));
}

// A text has room for one form of each computation: where calls need several, it is planned anew
// with a copy for each of them. So it is with lines for instructions that have none but need one.
absl::StatusOr<std::string> KeptText(const ShardOptions& options, Planned* planned) {
  if (HasSplitComputation(*planned)) {
    TESSERA_ASSIGN_OR_RETURN(hlo::Module apart, passes::SeparateCalls(planned->s->module));
    TESSERA_ASSIGN_OR_RETURN(*planned, MakePlan(std::move(apart), options));
  }
  auto text = writers::WriteKeep(planned->s->module, planned->plan);
  if (text.has_value()) return *std::move(text);
  TESSERA_ASSIGN_OR_RETURN(hlo::Module whole, passes::WithAllLines(planned->s->module));
  TESSERA_ASSIGN_OR_RETURN(*planned, MakePlan(std::move(whole), options));
  text = writers::WriteKeep(planned->s->module, planned->plan);
  if (text.has_value()) return *std::move(text);
  return absl::InternalError("an instruction without a line remained");
}

}  // namespace

absl::StatusOr<std::unique_ptr<Sharded>> Propagate(hlo::Module module, const ShardOptions& options,
                                                   sharding::propagation::Observer* observer) {
  auto s = std::make_unique<Sharded>();
  TESSERA_RETURN_IF_ERROR(TakeModule(std::move(module), options, s.get()));
  TESSERA_RETURN_IF_ERROR(Located(ImportAndRun(options, observer, s.get()), *s));
  return s;
}

absl::Status Finalize(const ShardOptions& options, Sharded* s) {
  const auto rule_of = [s](const sharding::graph::Op* op) { return s->run->RuleOf(op); };
  return Located(sharding::graph::RunExport(*s->graph, rule_of, options.exporting), *s);
}

Written WriteModule(const ShardOptions& options, Sharded* s) {
  const auto plan = sharding::graph::MakeExportPlan(*s->graph, MakePlanOptions(*s, options));
  Written written;
  written.module = writers::WriteXla(s->module, plan, &written.sources);
  return written;
}

absl::StatusOr<ShardResult> ShardModule(hlo::Module module, const ShardOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(const bool is_edited_only, IsEditedOnly(module, options));
  if (is_edited_only) {
    absl::StatusOr<std::string> text = passes::ReleaseBodies(module);
    if (!text.ok()) return LocatedInInput(text.status(), module, module);
    return ShardResult{*std::move(text), {}};
  }
  TESSERA_ASSIGN_OR_RETURN(Planned planned, MakePlan(std::move(module), options));
  ShardResult result;
  if (options.structure == Structure::kXla) {
    result.text = XlaText(planned, options);
  } else {
    TESSERA_ASSIGN_OR_RETURN(result.text, KeptText(options, &planned));
  }
  result.notes = planned.s->notes;
  return result;
}

}  // namespace tessera::pipeline
