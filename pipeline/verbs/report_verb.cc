#include <unistd.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/input/source_lines.h"
#include "tessera/pipeline/report/page.h"
#include "tessera/pipeline/report/report_data.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

absl::StatusOr<ReportRequest> ReadRequest(const Arguments& arguments) {
  ReportRequest request;
  TESSERA_ASSIGN_OR_RETURN(request.options, ReadPropagationOptions(arguments));
  request.file = arguments.positional(0);
  request.refused = kAsManyAsFast;
  if (arguments.Has("why-not")) {
    TESSERA_ASSIGN_OR_RETURN(request.refused, arguments.Count("why-not", 0, "tensors"));
  }
  return request;
}

// A page is nothing to read in a terminal.
bool IsForTerminal(const Arguments& arguments) {
  return !arguments.Has("o") && !arguments.Has("json") && isatty(STDOUT_FILENO) != 0;
}

VerbResult Run(const Arguments& arguments) {
  if (IsForTerminal(arguments)) {
    return BadInput(
        "the page is for a browser: name its file with -o step.html, or give -o - to print it "
        "here");
  }
  auto request = ReadRequest(arguments);
  if (!request.ok()) return BadInput(request.status());
  const auto source_lines = ReadSourceRoot(arguments);
  if (!source_lines.ok()) return BadInput(source_lines.status());
  request->source_lines = source_lines->get();
  return OnModule(arguments, [&](hlo::Module module) -> absl::StatusOr<VerbResult> {
    request->state = StateOf(module, arguments);
    TESSERA_ASSIGN_OR_RETURN(const ReportData data, GatherReport(std::move(module), *request));
    const std::string json = ReportJson(data);
    const std::string notes = absl::StrJoin(data.notes, "");
    if (arguments.Has("json")) return Done(json + "\n", notes);
    return Done(ReportPage(request->file, json), notes);
  });
}

}  // namespace

Verb ReportVerb() {
  Verb verb;
  verb.name = "report";
  verb.summary = "everything about a module on one page of HTML, to browse and to send";
  verb.description =
      "Writes a page that needs no network and no server. It has all tensors with their "
      "shardings, to search and to sort, and the reason of each sharding. It draws the "
      "neighbours of a tensor with the collectives on the edges, and its shards on the mesh. The "
      "cost of the collectives and memory over time follow. / searches, arrow keys and Enter "
      "choose a tensor, ? lists the other keys. If the partitioner refuses the module, the page "
      "shows why. docs/report.md describes the page.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = PropagationFlags();
  verb.flags.push_back({"why-not", "N",
                        "explain missing axes of the N largest tensors of a device; default: of "
                        "as many as take a few seconds",
                        "", false});
  verb.flags.push_back(SourceRootFlag());
  AddAsIsFlag(&verb);
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the data of the page as JSON", "", false});
  verb.examples = {
      {"tessera report step.hlo -o step.html", "a page to open in a browser"},
      {"tessera report step.hlo --mesh=data=8,model=4 -o step.html", "the same on another mesh"},
      {"tessera report step.hlo --source-root=. -o step.html",
       "with lines of the program, from files below this folder"},
  };
  verb.run = Run;
  return verb;
}

}  // namespace tessera::pipeline
