#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/explain/explanation.h"
#include "tessera/pipeline/explain/find_tensor.h"
#include "tessera/pipeline/explain/levels.h"
#include "tessera/pipeline/explain/surprises.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/sent_bytes.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

// What `answer` says of the propagated module.
VerbResult OnExplained(const Arguments& arguments,
                       absl::FunctionRef<absl::StatusOr<VerbResult>(const Explained&)> answer) {
  const auto options = ReadPropagationOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  return OnPrepared<Explained>(
      arguments, PropagationKey(arguments),
      [&](hlo::Module module) { return RunExplained(std::move(module), *options); }, answer);
}

VerbResult RunExplain(const Arguments& arguments) {
  return OnExplained(arguments, [&](const Explained& e) -> absl::StatusOr<VerbResult> {
    const std::string notes = absl::StrJoin(e.sharded->notes, "");
    if (arguments.positionals().size() < 2) {
      const std::vector<Surprise> surprises = FindSurprises(e);
      return Done(arguments.Has("json") ? SurprisesJson(e, surprises)
                                        : SurprisesText(e, surprises, arguments.positional(0)),
                  notes);
    }
    TESSERA_ASSIGN_OR_RETURN(const FoundTensor found, FindTensor(e, arguments.positional(1)));
    TESSERA_ASSIGN_OR_RETURN(
        const Explanation explanation,
        Explain(e, found.slot, {found.dim, arguments.Get("axis"), /*why_not=*/true, SentBytesOf}));
    const TextStyle style = {arguments.Has("forward"), arguments.Has("all")};
    return Done(arguments.Has("json") ? ExplanationJson(e, explanation)
                                      : ExplanationText(e, explanation, style),
                notes);
  });
}

VerbResult RunLevels(const Arguments& arguments) {
  return OnExplained(arguments, [&](const Explained& e) -> absl::StatusOr<VerbResult> {
    const std::vector<LevelChanges> levels = LevelsOf(e);
    return Done(arguments.Has("json") ? LevelsJson(e, levels)
                                      : LevelsText(e, levels, arguments.Has("step")),
                absl::StrJoin(e.sharded->notes, ""));
  });
}

}  // namespace

Verb ExplainVerb() {
  Verb verb;
  verb.name = "explain";
  verb.summary = "why a tensor has its sharding, and why it does not have an axis";
  verb.description =
      "For each axis of the tensor, the steps by which it came, back to the annotation that asked "
      "for it: the operation, the rule and the factor that carried it, and where they stand in the "
      "program. For each axis that it does not have, what refused it: the nearest tensor that has "
      "it, the operation at which it stopped and why, and, where the question names a dimension or "
      "an axis, edits of annotations that bring it, each tried. Without NAME, the ten places where "
      "shardings cost most. NAME is an instruction (COMPUTATION/NAME where several computations "
      "have it), the argument path of a parameter, an op_name, FILE.py:LINE, a regular expression "
      "that one tensor matches, or result; {K} behind it is array K of several, :D dimension D. A "
      "name that fits no tensor, or several, is an error that says which there are. Runs of "
      "operations that only pass an axis on are one line. The events, and Shardy's own name of the "
      "origin, are in the JSON.";
  verb.positionals = {{"FILE", kFileHelp},
                      {"NAME", "the tensor: NAME[{K}][:D]", /*optional=*/true}};
  verb.flags = PropagationFlags();
  verb.flags.push_back({"axis", "NAME", "this mesh axis only", "", false});
  verb.flags.push_back({"forward", "", "from the annotation to the tensor", "", false});
  verb.flags.push_back({"all", "", "every step a line of its own", "", false});
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the answer as JSON", "", false});
  verb.examples = {
      {"tessera explain step.hlo dot.7", "all its dimensions"},
      {"tessera explain step.hlo \"params['mlp']['w1']:0\" --axis=model",
       "one axis of one of them"},
      {"tessera explain step.hlo model.py:41", "what that line makes"},
      {"tessera explain step.hlo dot.7:0 --axis=data",
       "why 'data' is there, or what would bring it"},
      {"tessera explain step.hlo", "what is worth a question"},
  };
  verb.run = RunExplain;
  return verb;
}

Verb LevelsVerb() {
  Verb verb;
  verb.name = "levels";
  verb.summary = "what each level of propagation changed";
  verb.description =
      "Propagation runs in rounds, one for each priority of the user (p0 first), and each round in "
      "five levels: simple operations first, then more of them. For each level the tensors whose "
      "sharding it changed, as they are behind it, with the step and the operation; before the "
      "rounds what the user wrote and what constraints bound, behind them what the boundaries of "
      "functions and operations took away.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = PropagationFlags();
  verb.flags.push_back({"step", "", "one change at a time, in order", "", false});
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the answer as JSON", "", false});
  verb.examples = {
      {"tessera levels step.hlo", "level by level"},
      {"tessera levels step.hlo --step", "change by change"},
  };
  verb.run = RunLevels;
  return verb;
}

}  // namespace tessera::pipeline
