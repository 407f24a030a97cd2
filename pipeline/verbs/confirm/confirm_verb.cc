#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/input/location_remapper.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/verbs/compare/comparison_answer.h"
#include "tessera/pipeline/verbs/compare/compiled_comparison.h"
#include "tessera/pipeline/verbs/confirm/compiler_flags.h"
#include "tessera/pipeline/verbs/confirm/real_compiler.h"
#include "tessera/pipeline/verbs/costs/target/target_program.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/target/stage/stage.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

absl::Status CheckStage(const hlo::Module& module) {
  const target::StageReading read = target::ReadStage(module);
  if (!target::IsPerDevice(read.stage)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the module is ", target::StageName(read.stage), " (", read.sign,
                   "): the compiler is asked for the program before its compilation, as "
                   "lowered.as_text(\"hlo\") gives it"));
}

absl::StatusOr<CompilerQuestion> QuestionOf(const hlo::Module& module, const TargetChoice& choice,
                                            int64_t partitions, const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(CompilerQuestion question, ReadQuestion(choice.target, arguments));
  const absl::Status asked = AskAbout(module, partitions, &question);
  if (!asked.ok()) return LocatedInInput(asked, module, std::nullopt);
  return question;
}

absl::StatusOr<VerbResult> Confirm(hlo::Module module, const TargetChoice& choice,
                                   const Arguments& arguments) {
  TESSERA_RETURN_IF_ERROR(CheckStage(module));
  const hlo::Module step = module;
  TESSERA_ASSIGN_OR_RETURN(Prediction prediction,
                           Predict(std::move(module), choice, DefaultsOfPropagation()));
  TESSERA_ASSIGN_OR_RETURN(const CompilerQuestion question,
                           QuestionOf(step, choice, prediction.partitions, arguments));
  TESSERA_ASSIGN_OR_RETURN(Compiled compiled, CompileOrFind(question, !arguments.Has("no-cache")));
  if (!compiled.answer.refusal.empty()) {
    return Finding(
        absl::StrCat("the compiler refuses the program\n", compiled.answer.refusal, "\n"),
        compiled.note);
  }
  TESSERA_ASSIGN_OR_RETURN(hlo::Module made,
                           hlo::ParseModule(text::Source::FromBuffer(
                               "<compiled>", std::move(compiled.answer.program.text))));
  TESSERA_ASSIGN_OR_RETURN(CompiledComparison all,
                           CompareWithCompiled(std::move(prediction), std::move(made),
                                               choice.target, compiled.answer.program.memory));
  absl::StrAppend(&all.notes, compiled.note);
  return ComparisonResult(arguments, all);
}

VerbResult RunConfirm(const Arguments& arguments) {
  const auto choice = ReadTarget(arguments);
  if (!choice.ok()) return BadInput(choice.status());
  if (!choice->has_value()) {
    return BadInput("confirm needs --target=CHIP:TOPOLOGY: whose compiler is asked");
  }
  return OnModule(arguments, [&](hlo::Module module) {
    return Confirm(std::move(module), **choice, arguments);
  });
}

}  // namespace

Verb ConfirmVerb() {
  Verb verb;
  verb.name = "confirm";
  verb.summary = "the prediction beside what the real compiler makes";
  verb.description =
      "Compiles the program with JAX's ahead-of-time compilation, which needs no device, and "
      "compares the result with the prediction as `diff STEP COMPILED --target` does. The Python "
      "of --python must have JAX; for a TPU also libtpu, for a GPU the CUDA plug-in. An error "
      "names a missing package. Compiled modules are kept in the user's cache folder, and a note "
      "says where. Exits with 1 if prediction and program differ, or if the compiler refuses the "
      "program.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = TargetFlags();
  for (Flag& flag : CompilerFlags()) verb.flags.push_back(std::move(flag));
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the answer as JSON", "", false});
  verb.examples = {
      {"tessera confirm step.hlo --target=tpu-v5e:4x4 --python=venv/bin/python",
       "what libtpu makes of the step, beside the prediction"},
  };
  verb.run = RunConfirm;
  return verb;
}

}  // namespace tessera::pipeline
