#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/tensors.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"
#include "tessera/pipeline/verbs/costs/input/final_module.h"
#include "tessera/pipeline/verbs/costs/target/target_front.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/pipeline/verbs/golden/golden_of.h"
#include "tessera/pipeline/verbs/module/shardings_answer.h"
#include "tessera/pipeline/verbs/module/shardings_columns.h"
#include "tessera/pipeline/watch/pass_watch.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

bool UsesAxis(const Tensor& tensor, const std::string& axis) {
  if (tensor.sharding == nullptr) return false;
  const std::optional<int> index = tensor.mesh->FindAxis(axis);
  return index.has_value() && tensor.sharding->UsesAxis(*index);
}

bool Shows(const ListFilter& filter, const Tensor& tensor) {
  return filter.Matches({tensor.name, tensor.op_name, tensor.location}) &&
         (filter.axis().empty() || UsesAxis(tensor, filter.axis())) &&
         ShareOf(tensor).bytes >= filter.min_bytes();
}

// A propagated module and its tensors; results are those of a finished one.
struct Listed {
  std::unique_ptr<PropagatedModule> sharded;
  std::vector<Tensor> tensors, results;
};

// The module of which `options` make the answer: a run that is watched has the passes of the target in its list.
absl::StatusOr<hlo::Module> InFrontOf(const ShardOptions& options, hlo::Module module,
                                      const Arguments& arguments) {
  if (options.in_front.empty()) return ForTarget(std::move(module), arguments);
  TESSERA_ASSIGN_OR_RETURN(const auto choice, ReadTarget(arguments));
  TESSERA_RETURN_IF_ERROR(CheckFitsTarget(module, choice->target, arguments));
  return module;
}

absl::StatusOr<Listed> List(hlo::Module module, const Arguments& arguments,
                            const ShardOptions& options, bool is_final) {
  Listed listed;
  TESSERA_RETURN_IF_ERROR(CheckSaysShardings(module, options));
  TESSERA_ASSIGN_OR_RETURN(module, InFrontOf(options, std::move(module), arguments));
  TESSERA_ASSIGN_OR_RETURN(listed.sharded, Propagate(std::move(module), options));
  if (is_final) TESSERA_RETURN_IF_ERROR(Finalize(options, listed.sharded.get()));
  ReleaseRun(listed.sharded.get());
  listed.tensors = ListTensors(*listed.sharded);
  if (is_final) listed.results = ListResults(*listed.sharded);
  return listed;
}

// The tensors that pass the filter; tensors and results make one list.
struct Chosen {
  std::vector<Tensor> tensors, results;
};

Chosen Choose(const ListFilter& filter, const Listed& listed) {
  std::vector<const Tensor*> shown;
  std::vector<int64_t> bytes;
  const auto show = [&](const std::vector<Tensor>& list) {
    for (const Tensor& tensor : list) {
      if (!Shows(filter, tensor)) continue;
      shown.push_back(&tensor);
      bytes.push_back(ShareOf(tensor).bytes);
    }
    return shown.size();
  };
  const size_t num_tensors = show(listed.tensors);
  show(listed.results);
  Chosen chosen;
  for (const size_t k : filter.Top(bytes)) {
    (k < num_tensors ? chosen.tensors : chosen.results).push_back(*shown[k]);
  }
  return chosen;
}

// `dot.7` says `dot` already.
bool SaysMore(const std::string& op_name, const std::string& name) {
  return !op_name.empty() && name != op_name && !absl::StartsWith(name, absl::StrCat(op_name, "."));
}

// With `sized`, bytes on a device come first, the most on top.
std::string AsText(std::vector<Tensor> tensors, bool sized) {
  if (sized) {
    absl::c_stable_sort(tensors, [](const Tensor& a, const Tensor& b) {
      return ShareOf(a).bytes > ShareOf(b).bytes;
    });
  }
  std::string out;
  for (const Tensor& t : tensors) {
    if (sized) absl::StrAppendFormat(&out, "%10s  ", layout::FormatBytes(ShareOf(t).bytes));
    absl::StrAppend(&out, t.name, ": ", layout::ShapeToString(t.shape->WithoutLayout()), " ",
                    SpecWithManual(t));
    if (SaysMore(t.op_name, t.name)) absl::StrAppend(&out, ", ", t.op_name);
    if (!t.location.empty()) absl::StrAppend(&out, "  # ", t.location);
    absl::StrAppend(&out, "\n");
  }
  return out;
}

// The program in the middle of the run, in place of its shardings.
absl::StatusOr<VerbResult> Stopped(hlo::Module module, const Arguments& arguments,
                                   const ShardOptions& options, const PassWatch& watch) {
  TESSERA_ASSIGN_OR_RETURN(module, InFrontOf(options, std::move(module), arguments));
  TESSERA_ASSIGN_OR_RETURN(ShardResult result, ShardModule(std::move(module), options));
  return Done(std::move(result.text),
              absl::StrCat(absl::StrJoin(result.notes, ""), watch.Report()));
}

// A golden file holds every tensor of the finished run.
absl::Status CheckForGolden(const Arguments& arguments) {
  for (const char* const flag :
       {"match", "axis", "min-bytes", "top", "propagated", "json", "dump-after", "stop-after",
        "pass-timing", "target", "xla-flags"}) {
    if (!arguments.Has(flag) || arguments.IsOfProject(flag)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "--format=golden: a golden file holds all tensors, of no target; expected no --", flag));
  }
  return absl::OkStatus();
}

constexpr const char* kFilters[] = {"match", "axis", "min-bytes", "top"};

bool IsFiltered(const Arguments& arguments) {
  return absl::c_any_of(kFilters, [&](const char* flag) { return arguments.Has(flag); });
}

absl::StatusOr<VerbResult> Answer(const Arguments& arguments, const ShardOptions& options,
                                  const ListFilter& filter, const Listed& listed) {
  const PropagatedModule& sharded = *listed.sharded;
  TESSERA_RETURN_IF_ERROR(filter.CheckAxis(AxesOfMeshes(sharded.program->meshes())));
  const bool all = !IsFiltered(arguments);
  const Chosen chosen = all ? Chosen() : Choose(filter, listed);
  const std::vector<Tensor>& tensors = all ? listed.tensors : chosen.tensors;
  const std::vector<Tensor>& results = all ? listed.results : chosen.results;
  const auto answer = [&] {
    const std::string& version = options.reference.version;
    if (arguments.Has("columns")) return ShardingsAsColumns(sharded, tensors, results, version);
    if (arguments.Has("json")) return ShardingsAsJson(sharded, tensors, results, version);
    if (!arguments.Has("top") && !arguments.Has("min-bytes")) {
      return absl::StrCat(AsText(tensors, false), AsText(results, false));
    }
    std::vector<Tensor> both = tensors;
    both.insert(both.end(), results.begin(), results.end());
    return AsText(std::move(both), true);
  };
  return Done(answer(), absl::StrCat(absl::StrJoin(sharded.notes, ""),
                                     filter.NoteOnNone(tensors.size() + results.size(),
                                                       listed.tensors.size(), "tensors")));
}

VerbResult RunShardings(const Arguments& arguments) {
  const std::string& format = arguments.Get("format");
  if (format == "golden") {
    const absl::Status status = CheckForGolden(arguments);
    return status.ok() ? GoldenOf(arguments) : BadInput(status);
  }
  if (format != "text") {
    return BadInput(absl::StrCat("--format=", format, ": expected text or golden"));
  }
  auto options = ReadOptionsToShow(arguments);
  if (!options.ok()) return BadInput(options.status());
  const bool is_watched =
      absl::c_any_of(PassFlags(), [&](const Flag& flag) { return arguments.Has(flag.name); });
  if (is_watched) {
    if (const absl::Status status = PutInFront(arguments, &*options); !status.ok())
      return BadInput(status);
  }
  const auto watch = PassWatch::Create(arguments, &*options);
  if (!watch.ok()) return BadInput(watch.status());
  const auto filter = ListFilter::Read(arguments);
  if (!filter.ok()) return BadInput(filter.status());
  if (!options->stop_after.empty()) {
    return OnModule(arguments, [&](hlo::Module module) {
      return Stopped(std::move(module), arguments, *options, **watch);
    });
  }
  const bool is_final = !arguments.Has("propagated");
  const auto make = [&](hlo::Module module) {
    return List(std::move(module), arguments, *options, is_final);
  };
  const auto answer = [&](const Listed& listed) -> absl::StatusOr<VerbResult> {
    TESSERA_ASSIGN_OR_RETURN(VerbResult result, Answer(arguments, *options, *filter, listed));
    result.notes += (*watch)->Report();
    return result;
  };
  // Who asks a session for some tensors will ask for others; all of them are asked for once. A run
  // that is watched is seen each time.
  if (IsFiltered(arguments) && !is_watched) {
    const std::string key = absl::StrCat(TargetKey(arguments), PropagationKey(arguments),
                                         is_final ? "" : " propagated");
    return OnPrepared<Listed>(arguments, key, make, answer);
  }
  return OnModule(arguments, [&](hlo::Module module) -> absl::StatusOr<VerbResult> {
    TESSERA_ASSIGN_OR_RETURN(const Listed listed, make(std::move(module)));
    return answer(listed);
  });
}

}  // namespace

Verb ShardingsVerb() {
  Verb verb;
  verb.name = "shardings";
  verb.summary = "every tensor and the sharding that XLA gives it";
  verb.description =
      "Prints NAME: SHAPE SHARDING for each array, in mesh-axis names, and then the results of the "
      "module as result{K}. Parameters and results equal compiled.input_shardings and "
      "compiled.output_shardings of JAX. P() is replicated on every device. Inside a shard_map "
      "each device has its own array along the manual axes: manual={'data'}. --propagated shows "
      "the state before the pass removes axes that do not divide a result; there, a `?` or "
      "UNCONSTRAINED may still be sharded. Names are those at the start of the pass. In a lowered "
      "module calls are inlined first (--stage=pass keeps them). NAME{1} is an element of the "
      "tuple of instruction NAME. With --top or --min-bytes the bytes on a device come first, and "
      "the largest are on top.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = TargetFlags();
  for (Flag& flag : PropagationFlags()) verb.flags.push_back(std::move(flag));
  for (Flag& flag : ListFilter::Flags("tensors", "that use", "whose part on a device takes")) {
    verb.flags.push_back(std::move(flag));
  }
  verb.flags.push_back({"format", "text|golden",
                        "golden: the file that `check` compares with (docs/golden.md)", "text"});
  verb.flags.push_back({"propagated", "", "show the state directly after propagation", ""});
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the answer as JSON", "", false});
  verb.flags.push_back(
      {"columns", "", "the answer as JSON, with a list for each member", "", false});
  for (Flag& flag : PassFlags()) verb.flags.push_back(std::move(flag));
  verb.examples = {
      {"tessera shardings step.hlo", "all tensors"},
      {"tessera shardings step.hlo --match=attention --axis=model",
       "tensors of one part of the model that use one axis"},
      {"tessera shardings step.hlo --top=10", "the ten largest on a device"},
      {"tessera shardings step.hlo --format=golden -o golden.txt", "for `tessera check`"},
  };
  verb.conflicts = {{"columns", {"json"}}};
  verb.run = RunShardings;
  return verb;
}

}  // namespace tessera::pipeline
