#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/cost/network/target_machine.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"
#include "tessera/pipeline/verbs/costs/input/final_module.h"
#include "tessera/pipeline/verbs/costs/input/partitioned_program.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/costs/memory/buffer_rows.h"
#include "tessera/pipeline/verbs/costs/memory/memory_report.h"
#include "tessera/pipeline/verbs/costs/memory_limit.h"
#include "tessera/pipeline/verbs/costs/target/memory_on_target.h"
#include "tessera/pipeline/verbs/costs/target/target_run.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/target/target.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

// The question, and the buffers to list.
struct MemoryQuestion {
  const Arguments& arguments;
  const ListFilter& filter;
};

VerbResult ResultOf(const MemoryQuestion& question, const MemoryReport& report,
                    const std::string& notes) {
  const int64_t top = question.filter.top();
  VerbResult result = InBothForms(
      question.arguments,
      [&] { return MemoryJson(report, question.arguments.Has("top") ? top : 0); },
      [&] { return MemoryText(report, top); }, notes);
  if (!report.fits()) result.exit = Exit::kFinding;
  return result;
}

absl::StatusOr<VerbResult> OnProgram(const MemoryQuestion& question,
                                     const PartitionedProgram& program, const ShardOptions& options,
                                     const std::optional<MemoryLimit>& limit) {
  TESSERA_RETURN_IF_ERROR(question.filter.CheckAxis(AxesOfMesh(program.input.mesh)));
  TESSERA_ASSIGN_OR_RETURN(MemoryReport report, IsFinal(program.input.module)
                                                    ? MeasureFinalMemory(program.input, limit)
                                                    : MeasureMemory(program, limit));
  const std::string note = Keep(question.filter, {&report.at_peak, &report.arguments});
  if (program.input.sharded != nullptr && !question.arguments.Has("no-fixes")) {
    TESSERA_RETURN_IF_ERROR(AddFixes(program, options, &report));
  }
  return ResultOf(question, report, absl::StrCat(absl::StrJoin(program.input.notes, ""), note));
}

VerbResult OnPartitioner(const MemoryQuestion& question) {
  const Arguments& arguments = question.arguments;
  const auto options = ReadPropagationOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  const auto limit = ReadMemoryLimit(arguments);
  if (!limit.ok()) return BadInput(limit.status());
  const auto make = [&](hlo::Module module) -> absl::StatusOr<PartitionedProgram> {
    if (!IsFinal(module)) return PartitionProgram(std::move(module), arguments, *options);
    TESSERA_RETURN_IF_ERROR(CheckNothingToPropagate(module, arguments));
    PartitionedProgram program;
    program.input.notes.push_back(NoteOnNoSchedule(module));
    program.input.module = std::move(module);
    return program;
  };
  const auto answer = [&](const PartitionedProgram& program) {
    return OnProgram(question, program, *options, *limit);
  };
  return OnPrepared<PartitionedProgram>(arguments, PartitionKey(arguments), make, answer);
}

// A final module: its buffers are counted, and the target only gives the limit.
absl::StatusOr<VerbResult> OnFinal(const MemoryQuestion& question, hlo::Module module,
                                   const target::Target& target) {
  TESSERA_RETURN_IF_ERROR(CheckNothingToPropagate(module, question.arguments));
  TESSERA_RETURN_IF_ERROR(CheckCompiledFor(module, target));
  TESSERA_RETURN_IF_ERROR(question.filter.CheckAxis({}));
  TESSERA_ASSIGN_OR_RETURN(auto limit, ReadMemoryLimit(question.arguments));
  const int64_t usable = cost::UsableMemory(target);
  if (!limit.has_value() && usable > 0) {
    limit = MemoryLimit{usable, std::string(target.chip->name), std::nullopt};
  }
  const std::string notes = NotesOnFinal(module, target, question.arguments);
  PartitionerInput input;
  input.module = std::move(module);
  TESSERA_ASSIGN_OR_RETURN(MemoryReport report, MeasureFinalMemory(input, std::move(limit)));
  const std::string kept = Keep(question.filter, {&report.at_peak, &report.arguments});
  return ResultOf(question, report, notes + kept);
}

// Three ways: no target or that of a CPU, a final module, any other target. A flag of the list or of the limit
// must be read on all three.
VerbResult Run(const Arguments& arguments) {
  const auto choice = ReadTarget(arguments);
  if (!choice.ok()) return BadInput(choice.status());
  const auto filter = ListFilter::Read(arguments);
  if (!filter.ok()) return BadInput(filter.status());
  const MemoryQuestion question = {arguments, *filter};
  if (!choice->has_value() || (*choice)->target.chip->platform == target::Platform::kCpu) {
    const absl::Status status =
        CheckNoTargetPasses(arguments, "needs the --target of a GPU or TPU");
    return status.ok() ? OnPartitioner(question) : BadInput(status);
  }
  if (arguments.Has("hardware")) {
    return BadInput("--hardware: --target says already which device it is");
  }
  return OnModule(arguments, [&](hlo::Module module) -> absl::StatusOr<VerbResult> {
    if (IsFinal(module)) return OnFinal(question, std::move(module), (*choice)->target);
    return MemoryOnTargetAnswer(std::move(module), arguments, *filter, **choice);
  });
}

}  // namespace

Verb MemoryVerb() {
  Verb verb;
  verb.name = "memory";
  verb.summary = "memory of a device at its peak; does it fit?";
  verb.description =
      "Prints the bytes of the sharded program on one device. Arguments and results are exact, as "
      "in memory_analysis() of JAX. The peak of temporaries is an estimate by liveness; "
      "docs/memory.md has its error. Each part has its largest buffers, with shardings and lines. "
      "For the largest ones an annotation that lowers the sum is shown, tried by propagating and "
      "partitioning again. With a limit, the exit status is 1 if the sum is above it.\n\nIn a "
      "finished program (compiled.as_text() of JAX) the figures are counted. The module has "
      "schedule, layouts, memory spaces and aliases (docs/compiled.md).\n\nWith --target the "
      "answer is the peak that the compiler of the machine will report, with its measured error. "
      "The verdict is fits, does not fit, or too close to say. Changes follow that lower the peak "
      "and keep the shardings. The exit status is 1 if it does not fit, and 0 if it is too close "
      "to say.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = PropagationFlags();
  verb.flags.push_back(MemoryLimitFlag());
  verb.flags.push_back(OldHardwareFlag());
  verb.flags.push_back({"no-fixes", "", "do not try changes that lower the sum", "", false});
  for (const auto& more : {TargetFlags(), TargetPassFlags()}) {
    verb.flags.insert(verb.flags.end(), more.begin(), more.end());
  }
  for (Flag& flag : BufferFlags()) verb.flags.push_back(std::move(flag));
  AddAsIsFlag(&verb);
  verb.flags.push_back(JobsFlag());
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the answer as JSON", "", false});
  verb.examples = {
      {"tessera memory step.hlo --memory-limit=16GiB",
       "fails if the step does not fit into 16 GiB"},
      {"tessera memory step.hlo --mesh=data=8,model=4 --memory-limit=16GiB",
       "the same on a larger mesh"},
      {"tessera memory step.hlo --target=tpu-v5e:4x4", "the peak on sixteen TPU v5e: does it fit?"},
      {"tessera memory compiled.hlo", "what the compiler's own schedule and layouts need"},
  };
  verb.run = Run;
  return verb;
}

}  // namespace tessera::pipeline
