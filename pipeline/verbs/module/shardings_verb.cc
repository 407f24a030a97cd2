#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/tensors.h"
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

// Tensors and results make one list.
void Choose(const ListFilter& filter, std::vector<Tensor>* tensors, std::vector<Tensor>* results) {
  std::vector<Tensor*> shown;
  std::vector<int64_t> bytes;
  for (std::vector<Tensor>* list : {tensors, results}) {
    for (Tensor& tensor : *list) {
      if (!Shows(filter, tensor)) continue;
      shown.push_back(&tensor);
      bytes.push_back(ShareOf(tensor).bytes);
    }
  }
  const Tensor* const first_result = results->data();
  std::vector<Tensor> kept, kept_results;
  for (const size_t k : filter.Top(bytes)) {
    const bool is_result = shown[k] >= first_result && shown[k] < first_result + results->size();
    (is_result ? kept_results : kept).push_back(std::move(*shown[k]));
  }
  *tensors = std::move(kept);
  *results = std::move(kept_results);
}

// `dot.7` says `dot` already.
bool SaysMore(const std::string& op_name, const std::string& name) {
  return !op_name.empty() && name != op_name && !absl::StartsWith(name, absl::StrCat(op_name, "."));
}

std::string AsText(const std::vector<Tensor>& tensors) {
  std::string out;
  for (const Tensor& t : tensors) {
    absl::StrAppend(&out, t.name, ": ", layout::ShapeToString(t.shape->WithoutLayout()), " ",
                    t.spec);
    if (SaysMore(t.op_name, t.name)) absl::StrAppend(&out, ", ", t.op_name);
    if (!t.location.empty()) absl::StrAppend(&out, "  # ", t.location);
    absl::StrAppend(&out, "\n");
  }
  return out;
}

std::vector<std::string> AxesOfAll(const sharding::MeshTable& meshes) {
  std::vector<std::string> axes;
  for (sharding::MeshId id = 0; id < meshes.size(); ++id) {
    for (const sharding::MeshAxis& axis : meshes.mesh(id).axes()) axes.push_back(axis.name);
  }
  return axes;
}

// The program in the middle of the run, in place of its shardings.
absl::StatusOr<VerbResult> Stopped(hlo::Module module, const ShardOptions& options,
                                   const PassWatch& watch) {
  TESSERA_ASSIGN_OR_RETURN(ShardResult result, ShardModule(std::move(module), options));
  return Done(std::move(result.text),
              absl::StrCat(absl::StrJoin(result.notes, ""), watch.Report()));
}

// A golden file holds every tensor of the finished run.
absl::Status CheckForGolden(const Arguments& arguments) {
  for (const char* const flag : {"match", "axis", "min-bytes", "top", "propagated", "json",
                                 "dump-after", "stop-after", "pass-timing"}) {
    if (!arguments.Has(flag)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--format=golden: a golden file holds all tensors; expected no --", flag));
  }
  return absl::OkStatus();
}

VerbResult Run(const Arguments& arguments) {
  const std::string& format = arguments.Get("format");
  if (format == "golden") {
    const absl::Status status = CheckForGolden(arguments);
    return status.ok() ? GoldenOf(arguments) : BadInput(status);
  }
  if (format != "text") {
    return BadInput(absl::StrCat("--format=", format, ": expected text or golden"));
  }
  auto options = ReadPropagationOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  const auto watch = PassWatch::Create(arguments, &*options);
  if (!watch.ok()) return BadInput(watch.status());
  const auto filter = ListFilter::Read(arguments);
  if (!filter.ok()) return BadInput(filter.status());
  return OnModule(arguments, [&](hlo::Module module) -> absl::StatusOr<VerbResult> {
    if (!options->stop_after.empty()) return Stopped(std::move(module), *options, **watch);
    TESSERA_ASSIGN_OR_RETURN(const auto sharded, Propagate(std::move(module), *options));
    TESSERA_RETURN_IF_ERROR(filter->CheckAxis(AxesOfAll(sharded->program->meshes())));
    const bool is_final = !arguments.Has("propagated");
    if (is_final) TESSERA_RETURN_IF_ERROR(Finalize(*options, sharded.get()));
    ReleaseRun(sharded.get());
    std::vector<Tensor> tensors = ListTensors(*sharded), results;
    if (is_final) results = ListResults(*sharded);
    const size_t count = tensors.size();
    Choose(*filter, &tensors, &results);
    const auto answer = [&] {
      const std::string& version = options->reference.version;
      if (arguments.Has("columns")) {
        return ShardingsAsColumns(*sharded, tensors, results, version);
      }
      if (arguments.Has("json")) return ShardingsAsJson(*sharded, tensors, results, version);
      return absl::StrCat(AsText(tensors), AsText(results));
    };
    return Done(answer(),
                absl::StrCat(absl::StrJoin(sharded->notes, ""),
                             filter->NoteOnNone(tensors.size() + results.size(), count, "tensors"),
                             (*watch)->Report()));
  });
}

}  // namespace

Verb ShardingsVerb() {
  Verb verb;
  verb.name = "shardings";
  verb.summary = "every tensor and the sharding that XLA gives it";
  verb.description =
      "Prints NAME: SHAPE SHARDING for each array, in mesh-axis names, and then the results of "
      "the module as result{K}. Parameters and results equal compiled.input_shardings and "
      "compiled.output_shardings of JAX. P() is replicated on every device. --propagated shows "
      "the state before the pass removes axes that do not divide a result; a `?` or "
      "UNCONSTRAINED may still be sharded there. Names are those of the module at the start of "
      "the pass: in a lowered module calls are inlined first (--stage=pass keeps them). An "
      "element of a tuple is listed as NAME{1} of the instruction that makes the tuple.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = PropagationFlags();
  for (Flag& flag : ListFilter::Flags("tensors", "that use", "that take on a device")) {
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
  verb.run = Run;
  return verb;
}

}  // namespace tessera::pipeline
