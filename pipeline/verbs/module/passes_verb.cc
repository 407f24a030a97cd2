#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/steps/shard_pipeline.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/pipeline/watch/pass_timer.h"
#include "tessera/text/formats/json.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::passes::Pass;
using sharding::passes::PhaseName;
using sharding::passes::Pipeline;

// The name of the reference is not said again where ours is the same.
absl::string_view ReferenceMark(const Pass& pass) {
  if (pass.reference == pass.name) return "=";
  return pass.reference == "-" ? "-" : "~";
}

std::string ListText(const Pipeline& pipeline) {
  size_t width = 0;
  for (const Pass& pass : pipeline) width = std::max(width, pass.name.size());
  std::string out;
  for (size_t k = 0; k < pipeline.size(); ++k) {
    const Pass& pass = pipeline[k];
    const absl::string_view mark = ReferenceMark(pass);
    absl::StrAppendFormat(&out, "%2d  %-9s  %s %-*s  %s", k + 1, PhaseName(pass.phase), mark,
                          static_cast<int>(width), pass.name, pass.summary);
    absl::StrAppend(&out, mark == "~" ? absl::StrCat(" (", pass.reference, ")") : "", "\n");
  }
  return out;
}

// A pass that did not run, since the pipeline was another one, has no cost.
std::string AsJson(const Pipeline& pipeline, const std::vector<PassCost>& costs) {
  text::JsonWriter json;
  json.BeginObject().Key("passes").BeginArray();
  for (size_t k = 0; k < pipeline.size(); ++k) {
    const Pass& pass = pipeline[k];
    json.BeginObject().Key("name").String(pass.name);
    json.Key("phase").String(PhaseName(pass.phase));
    json.Key("reference").String(pass.reference);
    json.Key("summary").String(pass.summary);
    if (k < costs.size()) {
      json.Key("milliseconds").Double(costs[k].milliseconds);
      if (costs[k].instructions > 0) json.Key("instructions").Int(costs[k].instructions);
      json.Key("program_size").Int(costs[k].program_size);
    }
    json.EndObject();
  }
  json.EndArray().EndObject();
  return json.text() + "\n";
}

VerbResult Measured(const Arguments& arguments, const ShardOptions& options) {
  return OnModule(arguments, [&](hlo::Module module) -> absl::StatusOr<VerbResult> {
    PassTimer timer;
    ShardOptions timed = options;
    timed.pass_observer = &timer;
    TESSERA_ASSIGN_OR_RETURN(const Pipeline pipeline, ShardPipelineFor(module, options));
    TESSERA_RETURN_IF_ERROR(ShardModule(std::move(module), timed).status());
    return Done(arguments.Has("json") ? AsJson(pipeline, timer.costs())
                                      : PassTimingText(timer.costs()));
  });
}

VerbResult Run(const Arguments& arguments) {
  const auto options = ReadShardOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  if (!arguments.positionals().empty()) return Measured(arguments, *options);
  const Pipeline pipeline = ShardPipeline(*options);
  return Done(arguments.Has("json") ? AsJson(pipeline, {}) : ListText(pipeline));
}

}  // namespace

Verb PassesVerb() {
  Verb verb;
  verb.name = "passes";
  verb.summary = "the passes that a module goes through, and what each of them takes";
  verb.description =
      "Without FILE, the pipeline of `shard` with these flags: place, phase, name and what the "
      "pass does. In front of the name stands = if the reference has the pass under this name, ~ "
      "if under the name in brackets, - if only tessera has it. With FILE, the module goes through "
      "them and each line is a pass with CPU milliseconds, millions of machine instructions (- "
      "where the system does not count them), and the ops of the program behind it. shard and "
      "shardings have --dump-after, --stop-after and --pass-timing.";
  verb.positionals = {{"FILE", kFileHelp, /*optional=*/true}};
  verb.flags = ShardFlags();
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the answer as JSON", ""});
  verb.examples = {
      {"tessera passes --stage=pass --structure=xla", "the passes from HLO to the module XLA gets"},
      {"tessera passes step.hlo", "where the time goes"},
      {"tessera shard step.hlo --dump-after=all:dump -o sharded.hlo",
       "the program after each pass, in files that can be compared"},
  };
  verb.run = Run;
  return verb;
}

}  // namespace tessera::pipeline
