#include <unistd.h>

#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/input/session.h"
#include "tessera/pipeline/input/source_lines.h"
#include "tessera/pipeline/report/page.h"
#include "tessera/pipeline/report/report_data.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/costs/target/target_run.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/pipeline/verbs/report_answers.h"
#include "tessera/pipeline/verbs/report_graph.h"
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

// A graph has no page, and a page shows all tensors.
absl::Status CheckFlags(const Arguments& arguments, bool is_graph) {
  const auto refuse = [&](absl::string_view what, absl::string_view forms) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": expected --format=", forms));
  };
  for (const char* const flag : {"why-not", "source-root", "target", "xla-flags", "json"}) {
    const bool is_given = arguments.Has(flag) && !arguments.IsOfProject(flag);
    if (is_graph && is_given) return refuse(absl::StrCat("--", flag), "html");
  }
  if (is_graph) return absl::OkStatus();
  constexpr char kGraphs[] = "text, dot or model-explorer";
  if (arguments.Has("within")) return refuse("--within", kGraphs);
  if (arguments.positionals().size() > 1) return refuse(arguments.positional(1), kGraphs);
  return absl::OkStatus();
}

// Reads the module once, for all the verbs that are asked about it.
VerbResult WritePage(Arguments arguments, const ReportRequest& question,
                     const std::optional<TargetChoice>& target) {
  Session own;
  if (arguments.session() == nullptr) arguments.set_session(&own);
  return OnModule(arguments, [&](hlo::Module module) -> absl::StatusOr<VerbResult> {
    ReportRequest request = question;
    request.state = StateOf(module, arguments);
    TESSERA_ASSIGN_OR_RETURN(const ReportData data, GatherReport(std::move(module), request));
    if (target.has_value() && data.input.module.header().num_partitions > 1) {
      TESSERA_RETURN_IF_ERROR(CheckDevices(data.input.module, target->target));
    }
    const std::string json = WithAnswers(ReportJson(data), arguments);
    const std::string notes = absl::StrJoin(data.notes, "");
    if (arguments.Has("json")) return Done(json + "\n", notes);
    return Done(ReportPage(request.file, json), notes);
  });
}

VerbResult RunReport(const Arguments& arguments) {
  const std::string& format = arguments.Get("format");
  const bool is_graph = IsGraphFormat(format);
  if (!is_graph && format != "html") {
    return BadInput(
        absl::StrCat("--format=", format, ": expected html, text, dot or model-explorer"));
  }
  const absl::Status flags = CheckFlags(arguments, is_graph);
  if (!flags.ok()) return BadInput(flags);
  if (is_graph) return ReportGraph(arguments);
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
  const auto target = ReadTarget(arguments);
  if (!target.ok()) return BadInput(target.status());
  return WritePage(arguments, *request, *target);
}

}  // namespace

Verb ReportVerb() {
  Verb verb;
  verb.name = "report";
  verb.summary = "one page of HTML with all of it, or a graph";
  verb.description =
      "Writes a page that needs no network and no server. It has all tensors with their shardings, "
      "to search and to sort, and the reason of each sharding. It draws the neighbours of a tensor "
      "with the collectives on the edges, and its shards on the mesh. The collectives, memory over "
      "time and the findings of `lint` follow; with --target also the time of a step and the "
      "memory on that machine. / searches, arrow keys and Enter choose a tensor, ? lists the other "
      "keys. If the partitioner refuses the module, the page shows why. docs/report.md describes "
      "the page.\n\nWith another --format it prints a graph: the tensor NAME with its operands, "
      "its readers, and their shardings. Each edge has the collectives of XLA's partitioner and "
      "the new sharding. Without NAME it is the graph of the module. Model Explorer opens the file "
      "of --format=model-explorer; the scopes of op_name are its layers.";
  verb.positionals = {{"FILE", kFileHelp},
                      {"NAME", "of a graph: the tensor in its middle, as for `explain`", true}};
  verb.flags = {
      {"format", "html|text|dot|model-explorer", "a page, or a graph in this form", "html", false},
      {"within", "N", "in a graph: tensors up to N edges away from NAME", "1", false}};
  verb.flags.push_back({"why-not", "N",
                        "explain missing axes of the N largest tensors of a device; default: of "
                        "as many as take a few seconds",
                        "", false});
  verb.flags.push_back(SourceRootFlag());
  for (Flag& flag : TargetFlags()) verb.flags.push_back(std::move(flag));
  for (Flag& flag : PropagationFlags()) verb.flags.push_back(std::move(flag));
  AddAsIsFlag(&verb);
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the data of the page as JSON", "", false});
  verb.examples = {
      {"tessera report step.hlo -o step.html", "a page to open in a browser"},
      {"tessera report step.hlo --mesh=data=8,model=4 -o step.html", "the same on another mesh"},
      {"tessera report step.hlo --target=tpu-v5e:4x4 -o step.html",
       "with the time of a step and the memory on this machine"},
      {"tessera report step.hlo --source-root=. -o step.html",
       "with lines of the program, from files below this folder"},
      {"tessera report step.hlo dot.7 --format=text", "the operands and the readers of a tensor"},
      {"tessera report step.hlo dot.7 --within=2 --format=dot | dot -Tsvg -o dot.svg", "a picture"},
      {"tessera report step.hlo --format=model-explorer -o step.json", "for Model Explorer"},
  };
  verb.run = RunReport;
  return verb;
}

}  // namespace tessera::pipeline
