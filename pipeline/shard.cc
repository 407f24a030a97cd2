#include "tessera/pipeline/shard.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "re2/re2.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/printer.h"
#include "tessera/pipeline/input_place.h"
#include "tessera/pipeline/passes/clean_up.h"
#include "tessera/pipeline/passes/one_partition.h"
#include "tessera/pipeline/writers/keep_writer.h"
#include "tessera/pipeline/writers/xla_writer.h"
#include "tessera/sharding/frontend.h"
#include "tessera/sharding/graph/export.h"
#include "tessera/sharding/graph/export_plan.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::graph::Encoding;
using sharding::graph::UserAnnotation;

// Where an annotation may match: the name, and the op_name, which for a parameter is the path of
// the argument.
bool Matches(const hlo::Module& module, hlo::InstructionId id, const RE2& regex) {
  const hlo::Instruction& instruction = module.instruction(id);
  if (RE2::PartialMatch(re2::StringPiece(instruction.name.data(), instruction.name.size()),
                        regex)) {
    return true;
  }
  return RE2::PartialMatch(hlo::GetOpName(module, id), regex);
}

bool IsListed(const hlo::Module& module, hlo::InstructionId id) {
  const hlo::Instruction& instruction = module.instruction(id);
  return instruction.computation != hlo::kNoId &&
         !module.computation(instruction.computation).removed;
}

// Parameters of the entry first: where some match, the pattern is about them alone.
absl::StatusOr<std::vector<hlo::InstructionId>> FindMatches(const hlo::Module& module,
                                                            const PatternAnnotation& annotation) {
  const RE2 regex(annotation.pattern, RE2::Quiet);
  std::vector<hlo::InstructionId> found;
  for (hlo::InstructionId id : module.entry().parameters) {
    if (Matches(module, id, regex)) found.push_back(id);
  }
  if (!found.empty()) return found;
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    const bool is_parameter = module.instruction(id).opcode == hlo::Opcode::kParameter;
    if (!is_parameter && IsListed(module, id) && Matches(module, id, regex)) found.push_back(id);
  }
  if (!found.empty()) return found;
  return absl::InvalidArgumentError(absl::StrCat("annotation '", annotation.pattern, "=",
                                                 annotation.spec.ToString(),
                                                 "' matches no parameter and no instruction"));
}

absl::StatusOr<sharding::graph::ImportOptions> MakeImportOptions(const hlo::Module& module,
                                                                 const ShardOptions& options) {
  sharding::graph::ImportOptions import;
  import.encoding = options.import;
  if (import.encoding == Encoding::kAuto) import.encoding = sharding::graph::FindEncoding(module);
  import.mesh = options.mesh;
  std::vector<std::string> errors;
  for (const PatternAnnotation& annotation : options.annotations) {
    const auto ids = FindMatches(module, annotation);
    if (!ids.ok()) errors.emplace_back(ids.status().message());
    if (!ids.ok()) continue;
    for (hlo::InstructionId id : *ids) import.annotations.push_back({id, annotation.spec});
  }
  if (!errors.empty()) return absl::InvalidArgumentError(absl::StrJoin(errors, "\n"));
  return import;
}

bool HasMeshes(const hlo::Module& module) {
  return absl::c_any_of(module.header().frontend_attributes, [](const auto& attribute) {
    return attribute.first == sharding::kMeshesAttribute;
  });
}

bool HasPlainShardingOnly(const hlo::Module& module, Encoding encoding) {
  if (encoding != Encoding::kSdy || HasMeshes(module)) return false;
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    if (module.HasAttribute(id, hlo::AttributeName::kSharding)) return true;
  }
  return false;
}

bool HasAnySharding(const hlo::Module& module) {
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    for (const hlo::AttributeName name :
         {hlo::AttributeName::kSharding, hlo::AttributeName::kFrontendAttributes}) {
      const auto text = module.FindAttribute(id, name);
      if (text.has_value() && absl::StrContains(*text, "sharding")) return true;
    }
  }
  return absl::c_any_of(module.header().frontend_attributes, [](const auto& attribute) {
    return absl::StrContains(attribute.first, "sharding");
  });
}

// What the user should know about a module that says something else than is asked of it.
void AddNotes(const ShardOptions& options, Sharded* s) {
  const auto note = [&](absl::string_view text) {
    s->notes.push_back(absl::StrCat("note: ", text, "\n"));
  };
  const int64_t partitions = s->module.header().num_partitions;
  if (options.mesh.has_value() && partitions > 1 && options.mesh->num_devices() != partitions) {
    note(absl::StrCat("--mesh has ", options.mesh->num_devices(), " devices, the module has ",
                      "num_partitions=", partitions, ": XLA will not compile the result"));
  }
  if (s->encoding == Encoding::kPlain && options.import == Encoding::kPlain &&
      sharding::graph::FindEncoding(s->module) == Encoding::kSdy && HasMeshes(s->module)) {
    note(
        "--import=hlo reads sharding={...} only; the xla.sdy attributes of this module are "
        "dropped");
  }
  if (!options.annotations.empty()) return;
  if (HasPlainShardingOnly(s->module, s->encoding)) {
    note(
        "this module has sharding={...} but no xla.sdy attributes; XLA's Shardy pass drops such "
        "shardings, and so does this result. --import=hlo reads them.");
  } else if (!HasAnySharding(s->module)) {
    note("nothing in this module says how it is sharded; --mesh and --annotate do");
  }
}

absl::Status TakeModule(hlo::Module module, const ShardOptions& options, Sharded* s) {
  std::optional<hlo::Module> cleaned;
  if (options.stage != Stage::kPass) {
    TESSERA_ASSIGN_OR_RETURN(cleaned, passes::CleanUp(module));
  }
  s->was_cleaned = cleaned.has_value();
  if (s->was_cleaned) s->input = std::move(module);
  s->module = s->was_cleaned ? *std::move(cleaned) : std::move(module);
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
  plan.named = options.format == Format::kV3 ||
               (options.format == Format::kAuto && s.encoding == Encoding::kNamed);
  plan.tuple_args = HasTupleArgs(s.module);
  plan.num_partitions = NumPartitions(s);
  return plan;
}

absl::Status ImportAndRun(const ShardOptions& options, sharding::propagation::Observer* observer,
                          Sharded* s) {
  TESSERA_ASSIGN_OR_RETURN(const auto import, MakeImportOptions(s->module, options));
  s->encoding = import.encoding;
  AddNotes(options, s);
  TESSERA_ASSIGN_OR_RETURN(s->graph, sharding::graph::ImportModule(s->module, import));
  sharding::rules::RuleMode mode;
  mode.conservative = options.propagation.conservative;
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

struct Planned {
  std::unique_ptr<Sharded> s;
  sharding::graph::ExportPlan plan;
};

absl::StatusOr<Planned> MakePlan(hlo::Module module, const ShardOptions& options) {
  Planned planned;
  TESSERA_ASSIGN_OR_RETURN(planned.s, Propagate(std::move(module), options));
  const Sharded& s = *planned.s;
  const auto rule_of = [&](const sharding::graph::Op* op) { return s.run->RuleOf(op); };
  TESSERA_RETURN_IF_ERROR(sharding::graph::RunExport(*s.graph, rule_of, options.exporting));
  planned.plan = sharding::graph::MakeExportPlan(*s.graph, MakePlanOptions(s, options));
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

}  // namespace

absl::StatusOr<std::unique_ptr<Sharded>> Propagate(hlo::Module module, const ShardOptions& options,
                                                   sharding::propagation::Observer* observer) {
  auto s = std::make_unique<Sharded>();
  TESSERA_RETURN_IF_ERROR(TakeModule(std::move(module), options, s.get()));
  TESSERA_RETURN_IF_ERROR(LocatedInInput(ImportAndRun(options, observer, s.get()), s->module,
                                         s->was_cleaned ? s->input : s->module));
  return s;
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
    hlo::PrintOptions print = hlo::PrintOptions::Default();
    print.large_constants = true;
    result.text = hlo::PrintModule(writers::WriteXla(planned.s->module, planned.plan), print);
  } else {
    if (HasSplitComputation(planned)) {
      TESSERA_ASSIGN_OR_RETURN(hlo::Module apart, passes::SeparateCalls(planned.s->module));
      TESSERA_ASSIGN_OR_RETURN(planned, MakePlan(std::move(apart), options));
    }
    result.text = writers::WriteKeep(planned.s->module, planned.plan);
  }
  result.notes = planned.s->notes;
  return result;
}

}  // namespace tessera::pipeline
