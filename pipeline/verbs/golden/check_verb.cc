#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/command_line/process/output_file.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/input/session.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/pipeline/verbs/golden/golden_filter.h"
#include "tessera/pipeline/verbs/golden/golden_of.h"
#include "tessera/pipeline/verbs/golden/golden_run.h"
#include "tessera/sharding/explain/golden/comparison.h"
#include "tessera/sharding/explain/golden/recording_text.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::golden::Recording;

// Only shardings of one mesh and one reference can be held against each other.
absl::Status CheckComparable(const text::Source& source, const Recording& golden,
                             const Recording& now) {
  if (golden.reference != now.reference) {
    return text::Located(text::ErrorAt(golden.reference_offset,
                                       absl::StrCat("recorded with reference ", golden.reference,
                                                    ", this run is of ", now.reference,
                                                    ": give --reference=", golden.reference,
                                                    ", or write the file anew with --update")),
                         source);
  }
  if (HaveSameMeshes(golden, now)) return absl::OkStatus();
  return text::Located(
      text::ErrorAt(
          golden.mesh_offset,
          absl::StrCat("recorded for mesh ", MeshesText(golden), ", the module has ",
                       MeshesText(now),
                       ": give --mesh, or write the file anew with --update; `tessera diff` "
                       "compares meshes")),
      source);
}

absl::StatusOr<VerbResult> Update(const std::string& path, const GoldenRun& run) {
  TESSERA_RETURN_IF_ERROR(WriteWholeFile(path, PrintRecording(run.recording)));
  return Done(absl::StrCat("wrote ", path, ": ", run.recording.entries.size(), " tensors\n"),
              run.notes);
}

VerbResult RunCheck(const Arguments& arguments) {
  const std::string& path = arguments.positional(1);
  const auto options = ReadOptionsToShow(arguments);
  if (!options.ok()) return BadInput(options.status());
  const auto filter = ListFilter::Read(arguments);
  if (!filter.ok()) return BadInput(filter.status());
  if (arguments.Has("update")) {
    return OnGoldenRun(arguments, *options,
                       [&](const GoldenRun& run) { return Update(path, run); });
  }
  const auto source = ReadFile(arguments, path);
  if (absl::IsNotFound(source.status())) {
    return BadInput(absl::StrCat(source.status().message(), "; --update writes the file"));
  }
  if (!source.ok()) return BadInput(source.status());
  const auto golden = sharding::golden::ParseRecording(**source);
  if (!golden.ok()) return BadInput(golden.status());
  return OnGoldenRun(arguments, *options, [&](const GoldenRun& run) -> absl::StatusOr<VerbResult> {
    TESSERA_RETURN_IF_ERROR(CheckComparable(**source, *golden, run.recording));
    GoldenReport report = {*golden, run.recording, Compare(*golden, run.recording), path,
                           arguments.positional(0)};
    TESSERA_RETURN_IF_ERROR(Choose(*filter, &report));
    TESSERA_RETURN_IF_ERROR(AddCauses(run, *options, &report));
    return ReportResult(arguments, report, run.notes);
  });
}

}  // namespace

VerbResult GoldenOf(const Arguments& arguments) {
  const auto options = ReadOptionsToShow(arguments);
  if (!options.ok()) return BadInput(options.status());
  return OnGoldenRun(arguments, *options, [&](const GoldenRun& run) -> absl::StatusOr<VerbResult> {
    return Done(PrintRecording(run.recording), run.notes);
  });
}

Verb CheckVerb() {
  Verb verb;
  verb.name = "check";
  verb.summary = "the shardings of a module beside its golden file";
  verb.description =
      "Exits with 0 if every array of the golden file is in the module and has its axes. Otherwise "
      "it exits with 1 and lists the changes: the axes that were lost or gained, why, and bytes "
      "per device before and after. Arrays are matched by op_name, line and structure, so "
      "renumbering, moved lines and inserted instructions are no change. A golden file of another "
      "mesh or reference is an error (2). --update writes the file, a line for each array. It has "
      "shape, sharding in axis names, operation and operands, op_name and line of the program. "
      "Give the same flags each time. See docs/golden.md.";
  verb.positionals = {{"FILE", kFileHelp}, {"GOLDEN", "the golden file, which --update writes"}};
  verb.flags = {{"update", "", "write the golden file, in place of comparing with it", "", false}};
  for (Flag& flag : GoldenFilterFlags()) verb.flags.push_back(std::move(flag));
  for (Flag& flag : PropagationFlags()) verb.flags.push_back(std::move(flag));
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the answer as JSON", "", false});
  verb.conflicts = {{"update", {"json", "match", "axis", "min-bytes", "top"}}};
  verb.examples = {
      {"tessera check step.hlo golden.txt", "fails a build in which a sharding changed"},
      {"tessera check step.hlo golden.txt --update", "writes the shardings of today"},
  };
  verb.run = RunCheck;
  return verb;
}

}  // namespace tessera::pipeline
