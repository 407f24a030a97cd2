#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/cost/step/step_cost.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/command_line/proposed_command.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/explain/explanation.h"
#include "tessera/pipeline/explain/find_tensor.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/pipeline/explain/levels.h"
#include "tessera/pipeline/explain/surprises.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/input/source_lines.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/pipeline/verbs/costs/input/final_module.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/costs/target/device_names.h"
#include "tessera/pipeline/verbs/costs/target/target_front.h"
#include "tessera/pipeline/verbs/costs/target/target_lines.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

// Flags that decide how the module is propagated.
std::vector<Flag> FlagsOfPropagated() {
  std::vector<Flag> flags = TargetFlags();
  for (Flag& flag : PropagationFlags()) flags.push_back(std::move(flag));
  flags.push_back(ModuleFlag());
  return flags;
}

// The result of `answer` for the propagated module.
VerbResult OnExplained(const Arguments& arguments,
                       absl::FunctionRef<absl::StatusOr<VerbResult>(const Explained&)> answer) {
  const auto options = ReadOptionsToShow(arguments);
  if (!options.ok()) return BadInput(options.status());
  return OnPrepared<Explained>(
      arguments, absl::StrCat(TargetKey(arguments), PropagationKey(arguments)),
      [&](hlo::Module module) -> absl::StatusOr<Explained> {
        TESSERA_RETURN_IF_ERROR(CheckSaysShardings(module, *options));
        TESSERA_ASSIGN_OR_RETURN(module, ForTarget(std::move(module), arguments));
        return RunExplained(std::move(module), *options);
      },
      answer);
}

bool HasName(const Arguments& arguments) { return arguments.positionals().size() > 1; }

// Some flags are about one tensor, others choose from the list of places.
absl::Status CheckFlags(const Arguments& arguments) {
  for (const char* const flag : {"forward", "all", "source-root"}) {
    if (HasName(arguments) || !arguments.Has(flag)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag, " is about one tensor: expected its NAME after FILE"));
  }
  for (const char* const flag : {"match", "min-bytes", "top"}) {
    if (!HasName(arguments) || !arguments.Has(flag)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag, " chooses from the list of places: expected no NAME"));
  }
  return absl::OkStatus();
}

absl::StatusOr<VerbResult> ListPlaces(const Arguments& arguments, const Explained& e,
                                      const std::string& notes) {
  TESSERA_ASSIGN_OR_RETURN(const ListFilter filter, ListFilter::Read(arguments));
  TESSERA_RETURN_IF_ERROR(filter.CheckAxis(AxesOfMeshes(e.sharded->program->meshes())));
  SurpriseChoice choice;
  choice.shows = [&](const Labels& labels, const Surprise& surprise) {
    const std::string place = labels.Place(labels.InstructionOf(surprise.slot));
    return surprise.bytes >= filter.min_bytes() &&
           (filter.axis().empty() || surprise.axis == filter.axis()) &&
           filter.Matches({labels.Slot(surprise.slot), place});
  };
  choice.most =
      filter.top() == 0 ? std::numeric_limits<size_t>::max() : static_cast<size_t>(filter.top());
  const std::vector<Surprise> surprises = FindSurprises(e, choice);
  return InBothForms(
      arguments, [&] { return SurprisesJson(e, surprises); },
      [&] {
        return SurprisesText(e, surprises, arguments.positional(0),
                             FlagsAgain(arguments, FlagsOfPropagated()));
      },
      notes);
}

// The tensor of the question. Where NAME is after the partitioner of a target: the one that it was made for, and what
// runs there.
struct Asked {
  FoundTensor tensor;
  std::string on_device;
};

// `dim`: ":0", or none. Of several arrays the first.
absl::StatusOr<FoundTensor> FindMadeFor(const Explained& e, const std::string& name,
                                        const std::string& dim, const std::string& axis) {
  auto found = FindTensor(e, name + dim, axis);
  if (found.ok()) return found;
  auto first = FindTensor(e, absl::StrCat(name, "{0}", dim), axis);
  return first.ok() ? first : found;
}

absl::StatusOr<Asked> FindNamed(const Explained& e, const Arguments& arguments) {
  const std::string &name = arguments.positional(1), &axis = arguments.Get("axis");
  auto found = FindTensor(e, name, axis);
  if (found.ok()) return Asked{*found, ""};
  TESSERA_ASSIGN_OR_RETURN(const auto choice, ReadTarget(arguments));
  if (!absl::IsNotFound(found.status()) || !choice.has_value()) return found.status();
  const size_t colon = std::min(name.rfind(':'), name.size());
  const auto after =
      FindOnDevice(e.sharded->module, e.options, *choice, arguments, name.substr(0, colon));
  if (!after.ok()) {
    return absl::NotFoundError(absl::StrCat(
        found.status().message(), "\nThe compiler for ", arguments.Get("target"),
        " simplifies the program in front of Shardy: `tessera shardings` with --target lists the "
        "tensors that are left. Nothing after the partitioner has this name, either."));
  }
  std::string text = OnDeviceText(*after, *choice);
  const auto tensor = FindMadeFor(e, after->made_for[0], name.substr(colon), axis);
  if (tensor.ok()) return Asked{*tensor, std::move(text)};
  return absl::Status(tensor.status().code(), absl::StrCat(text, tensor.status().message()));
}

// The bytes that each device sends in a step, as XLA's partitioner would make it; none where the pass or
// the partitioner refuses the module.
std::optional<int64_t> SentBytesOf(const hlo::Module& module, const ShardOptions& options) {
  const auto input = PropagatedInput(module, options);
  if (!input.ok()) return std::nullopt;
  const auto found = sharding::partition::FindCollectives(input->module, input->behaviors);
  if (!found.ok()) return std::nullopt;
  const auto sent = cost::SentInStep(input->module, *found);
  return sent.ok() ? std::make_optional(*sent) : std::nullopt;
}

// As the compiler of the target finally makes it.
std::optional<int64_t> SentOnTarget(const hlo::Module& module, const ShardOptions& options,
                                    const TargetChoice& choice) {
  const auto input = PropagatedInput(module, options);
  if (!input.ok()) return std::nullopt;
  const auto lines = LinesOnTarget(*input, choice);
  return lines.ok() ? std::make_optional(TotalSent(*lines)) : std::nullopt;
}

absl::StatusOr<SentBytes> PricedBy(const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(const auto choice, ReadTarget(arguments));
  if (!choice.has_value()) return SentBytes{SentBytesOf, ""};
  const auto on_target = [choice](const hlo::Module& module, const ShardOptions& options) {
    return SentOnTarget(module, options, *choice);
  };
  return SentBytes{on_target, choice->target.ToString()};
}

// The changes of NAME, and of the tensors that --match chooses.
absl::Status KeepAsked(const Explained& e, const Arguments& arguments,
                       std::vector<LevelChanges>* levels) {
  if (HasName(arguments)) {
    TESSERA_ASSIGN_OR_RETURN(const Asked asked, FindNamed(e, arguments));
    Keep([&](sharding::explain::SlotId slot) { return slot == asked.tensor.slot; }, e, levels);
  }
  TESSERA_ASSIGN_OR_RETURN(const ListFilter filter, ListFilter::Read(arguments));
  if (!filter.chooses()) return absl::OkStatus();
  const Labels labels(e);
  Keep(
      [&](sharding::explain::SlotId slot) {
        return filter.Matches({labels.Slot(slot), labels.Place(labels.InstructionOf(slot))});
      },
      e, levels);
  return absl::OkStatus();
}

VerbResult RunTrace(const Arguments& arguments) {
  for (const char* const flag : {"axis", "min-bytes", "top"}) {
    if (arguments.Has(flag))
      return BadInput(
          absl::StrCat("--trace lists what NAME or --match chooses: expected no --", flag));
  }
  return OnExplained(arguments, [&](const Explained& e) -> absl::StatusOr<VerbResult> {
    std::vector<LevelChanges> levels = LevelsOf(e);
    TESSERA_RETURN_IF_ERROR(KeepAsked(e, arguments, &levels));
    return Done(arguments.Has("json") ? LevelsJson(e, levels)
                                      : LevelsText(e, levels, arguments.Has("step")),
                absl::StrJoin(e.sharded->notes, ""));
  });
}

VerbResult RunExplain(const Arguments& arguments) {
  if (arguments.Has("trace")) return RunTrace(arguments);
  if (arguments.Has("step")) return BadInput("--step: needs --trace");
  if (const absl::Status status = CheckFlags(arguments); !status.ok()) return BadInput(status);
  return OnExplained(arguments, [&](const Explained& e) -> absl::StatusOr<VerbResult> {
    std::string notes = absl::StrJoin(e.sharded->notes, "");
    if (!HasName(arguments)) return ListPlaces(arguments, e, notes);
    TESSERA_ASSIGN_OR_RETURN(const Asked asked, FindNamed(e, arguments));
    const FoundTensor& found = asked.tensor;
    if (arguments.Has("json")) notes += asked.on_device;
    TESSERA_ASSIGN_OR_RETURN(SentBytes sent, PricedBy(arguments));
    const Question question = {found.dim, arguments.Get("axis"), /*why_not=*/true, std::move(sent)};
    TESSERA_ASSIGN_OR_RETURN(const Explanation explanation, Explain(e, found.slot, question));
    TESSERA_ASSIGN_OR_RETURN(const auto source_lines, ReadSourceRoot(arguments));
    const TextStyle style = {arguments.Has("forward"), arguments.Has("all")};
    const Labels labels(e, source_lines.get());
    return InBothForms(
        arguments, [&] { return ExplanationJson(e, explanation, source_lines.get()); },
        [&] {
          return absl::StrCat(asked.on_device, ExplanationText(e, labels, explanation, style));
        },
        notes);
  });
}

}  // namespace

Verb ExplainVerb() {
  Verb verb;
  verb.name = "explain";
  verb.summary = "why a tensor has its sharding, why an axis is missing";
  verb.description =
      "For each axis of the tensor, prints the path back to its annotation. Each step has its "
      "operation, rule, factor and line of the program. For each missing axis it prints the "
      "reason: the nearest tensor with the axis, and the operation that did not pass it on. If the "
      "question names a dimension or an axis, it also tries edits of annotations, and prints those "
      "that bring the axis. Bytes that they send are the partitioner's, with --target those that "
      "finally run. Without NAME, it lists the costliest places.\n\nNAME is an instruction "
      "(COMPUTATION/NAME if several computations have it), an op_name, FILE.py:LINE, or result. It "
      "may also be the argument path of a parameter, or a regular expression that matches one "
      "tensor. A suffix {K} selects array K of a tuple, and :D dimension D. With --target it may "
      "be an instruction of the partitioner or of a later pass, as `collectives`, `cost` and "
      "`memory` name it. The answer has what runs, and the tensor that needs it. If NAME fits no "
      "tensor or several, the error lists the candidates. --axis drops tensors that have the "
      "axis.\n\nConsecutive operations that only pass the axis on share one line. --json has all "
      "events, and Shardy's own name of the origin.\n\nWith --trace it prints the levels of "
      "propagation in place of one tensor. There is a round for each user priority (p0 first), "
      "with five levels, simple operations first. A level lists the tensors whose sharding "
      "changed, with the new sharding, the step and the operation. Before the rounds stand the "
      "annotations of the program, and the copies that the pass inserts in front of loops. After "
      "them stand the axes that boundaries of functions and operations removed.";
  verb.positionals = {{"FILE", kFileHelp},
                      {"NAME", "the tensor: NAME[{K}][:D]", /*optional=*/true}};
  for (Flag& flag : ListFilter::Flags("places", "that lack", "that cost", "10")) {
    if (flag.name == "axis") flag.help = "only this mesh axis";
    verb.flags.push_back(std::move(flag));
  }
  verb.flags.push_back(
      {"forward", "", "print the path from the annotation to the tensor", "", false});
  verb.flags.push_back(
      {"all", "", "one line for each step, also for those that only pass the axis on", "", false});
  verb.flags.push_back(SourceRootFlag());
  verb.flags.push_back({"trace", "",
                        "print what each level of propagation changed: of all tensors, of NAME, or "
                        "of those that --match chooses",
                        "", false});
  verb.flags.push_back({"step", "", "with --trace: one change at a time, in order", "", false});
  for (Flag& flag : FlagsOfPropagated()) verb.flags.push_back(std::move(flag));
  verb.flags.push_back({"json", "", "the answer as JSON", "", false});
  verb.examples = {
      {"tessera explain step.hlo dot.7", "all dimensions of a tensor"},
      {"tessera explain step.hlo \"params['mlp']['w1']:0\" --axis=model",
       "one axis of one dimension"},
      {"tessera explain step.hlo model.py:41", "the arrays of a line of the program"},
      {"tessera explain step.hlo dot.7:0 --axis=data",
       "why 'data' is there, or which edits would bring it"},
      {"tessera explain step.hlo dot.7 --source-root=.",
       "with lines of the program, from files below this folder"},
      {"tessera explain step.hlo", "the costliest places, each with the question to ask"},
      {"tessera explain step.hlo --trace", "what each level of propagation changed"},
  };
  verb.run = RunExplain;
  return verb;
}

}  // namespace tessera::pipeline
