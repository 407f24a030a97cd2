#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/proto.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/input/location_remapper.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/verbs/compare/comparison_answer.h"
#include "tessera/pipeline/verbs/compare/compiled_comparison.h"
#include "tessera/pipeline/verbs/confirm/compile_cache.h"
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

// Those that are whole arrays.
std::vector<int64_t> DonorsOf(const hlo::Module& module) {
  std::vector<int64_t> donors;
  for (const hlo::BufferDonor& donor : module.header().buffer_donor) {
    if (donor.parameter_index.empty()) donors.push_back(donor.parameter_number);
  }
  return donors;
}

absl::StatusOr<CompilerQuestion> QuestionOf(const hlo::Module& module, const TargetChoice& choice,
                                            int64_t partitions, const Arguments& arguments) {
  CompilerQuestion question;
  question.python = arguments.Get("python");
  question.target = choice.target;
  question.partitions = partitions;
  question.donors = DonorsOf(module);
  const std::string& flags = arguments.Get("xla-flags");
  if (flags != "env") question.flags = absl::StrSplit(flags, ' ', absl::SkipWhitespace());
  TESSERA_ASSIGN_OR_RETURN(question.seconds, arguments.Count("timeout", 1, "seconds"));
  absl::StatusOr<std::string> bytes = hlo::ModuleToProto(module);
  if (!bytes.ok()) return LocatedInInput(bytes.status(), module, std::nullopt);
  question.module = *std::move(bytes);
  return question;
}

// All on which the answer depends.
std::string KeyOf(const CompilerQuestion& question, const std::string& versions) {
  return absl::StrCat(versions, "\n", question.target.ToString(), " ", question.partitions, "\n",
                      absl::StrJoin(question.donors, ","), "\n", absl::StrJoin(question.flags, " "),
                      "\n", CompileScript(), "\n", question.module);
}

struct Compiled {
  CompilerAnswer answer;
  std::string note;
};

// From the cache, or from the compiler.
absl::StatusOr<Compiled> Compile(const CompilerQuestion& question, const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(const std::string versions, FindCompiler(question));
  const CompileCache cache = arguments.Has("no-cache") ? CompileCache("") : CompileCache::OfUser();
  const std::string key = KeyOf(question, versions);
  Compiled compiled;
  auto kept = cache.Find(key);
  if (kept.has_value()) {
    compiled.answer.program = *std::move(kept);
  } else {
    TESSERA_ASSIGN_OR_RETURN(compiled.answer, AskCompiler(question));
    if (compiled.answer.refusal.empty()) cache.Keep(key, compiled.answer.program);
  }
  compiled.note = absl::StrCat("note: compiled by ", versions);
  if (!arguments.Has("no-cache") && compiled.answer.refusal.empty()) {
    absl::StrAppend(&compiled.note, ", ", cache.PathOf(key));
  }
  compiled.note += "\n";
  return compiled;
}

absl::StatusOr<VerbResult> Confirm(hlo::Module module, const TargetChoice& choice,
                                   const Arguments& arguments) {
  TESSERA_RETURN_IF_ERROR(CheckStage(module));
  const hlo::Module step = module;
  TESSERA_ASSIGN_OR_RETURN(Prediction prediction,
                           Predict(std::move(module), choice, DefaultsOfPropagation()));
  TESSERA_ASSIGN_OR_RETURN(const CompilerQuestion question,
                           QuestionOf(step, choice, prediction.partitions, arguments));
  TESSERA_ASSIGN_OR_RETURN(Compiled compiled, Compile(question, arguments));
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

VerbResult Run(const Arguments& arguments) {
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
      "of --python must have JAX and, for a TPU, libtpu, or, for a GPU, the CUDA plug-in; where a "
      "package is missing, the message names it. What was compiled is kept by its contents in the "
      "user's cache folder, and a note says where. Exits with 1 if prediction and program differ, "
      "or if the compiler refuses the program.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = TargetFlags();
  verb.flags.push_back({"python", "PATH", "the Python that has JAX", "python3"});
  verb.flags.push_back({"timeout", "SECONDS", "ends a compilation that takes longer", "600"});
  verb.flags.push_back({"no-cache", "", "neither reads nor writes the cache", ""});
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the answer as JSON", "", false});
  verb.examples = {
      {"tessera confirm step.hlo --target=tpu-v5e:4x4 --python=venv/bin/python",
       "what libtpu makes of the step, beside the prediction"},
  };
  verb.run = Run;
  return verb;
}

}  // namespace tessera::pipeline
