#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "tessera/pipeline/flow/drawings.h"
#include "tessera/pipeline/flow/flow_graph.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/report/report_data.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

struct Form {
  absl::string_view name;
  std::string (*write)(const flow::FlowGraph& graph, absl::string_view module);
};

constexpr Form kForms[] = {
    {"text", [](const flow::FlowGraph& graph, absl::string_view) { return TerminalText(graph); }},
    {"dot", [](const flow::FlowGraph& graph, absl::string_view) { return DotText(graph); }},
    {"model-explorer", flow::ModelExplorerJson},
};

absl::StatusOr<const Form*> ReadForm(const Arguments& arguments) {
  for (const Form& form : kForms) {
    if (form.name == arguments.Get("form")) return &form;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--form=", arguments.Get("form"), ": expected text, dot or model-explorer"));
}

absl::StatusOr<flow::FlowGraph> Chosen(const ReportData& data, const std::string& name,
                                       int64_t within) {
  flow::FlowGraph graph = flow::Flow(data);
  if (name.empty()) return graph;
  const int row = data.table->row(name);
  if (row != kNoRow) return flow::Around(graph, row, within);
  return absl::NotFoundError(
      absl::StrCat("no tensor is named '", name, "'; `tessera shardings` lists them"));
}

VerbResult Run(const Arguments& arguments) {
  ReportRequest request;
  auto options = ReadPropagationOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  request.options = *std::move(options);
  request.file = arguments.positional(0);
  const auto form = ReadForm(arguments);
  if (!form.ok()) return BadInput(form.status());
  const auto within = arguments.Count("within", 0, "edges");
  if (!within.ok()) return BadInput(within.status());
  const std::string name = arguments.positional(1);
  return OnModule(arguments, [&](hlo::Module module) -> absl::StatusOr<VerbResult> {
    request.state = StateOf(module, arguments);
    TESSERA_ASSIGN_OR_RETURN(const ReportData data, GatherReport(std::move(module), request));
    TESSERA_ASSIGN_OR_RETURN(const flow::FlowGraph graph, Chosen(data, name, *within));
    const std::string unmoved =
        data.partitioned.ok()
            ? ""
            : absl::StrCat("note: without collectives: ", data.partitioned.message(), "\n");
    return Done((*form)->write(graph, data.explained.sharded->module.header().name),
                absl::StrCat(absl::StrJoin(data.notes, ""), unmoved));
  });
}

}  // namespace

Verb GraphVerb() {
  Verb verb;
  verb.name = "graph";
  verb.summary = "the tensors around one as a graph, with the bytes sent on its edges";
  verb.description =
      "Prints the tensor NAME with its operands and its readers, their shardings, and on each "
      "edge the collectives of XLA's partitioner and the new sharding. Without NAME it prints "
      "the whole module. For a picture with Graphviz: `tessera graph step.hlo dot.7 --form=dot | "
      "dot -Tsvg`. Model Explorer opens the file of --form=model-explorer; the scopes of op_name "
      "are its layers.";
  verb.positionals = {{"FILE", kFileHelp}, {"NAME", "a tensor, as `shardings` names it", true}};
  verb.flags = PropagationFlags();
  verb.flags.push_back({"within", "N", "show tensors up to N edges away from NAME", "1", false});
  verb.flags.push_back(
      {"form", "text|dot|model-explorer", "the form of the output", "text", false});
  AddAsIsFlag(&verb);
  verb.flags.push_back(ModuleFlag());
  verb.examples = {
      {"tessera graph step.hlo dot.7", "its operands and its readers"},
      {"tessera graph step.hlo dot.7 --within=2 --form=dot | dot -Tsvg -o dot.svg", "a picture"},
      {"tessera graph step.hlo --form=model-explorer -o step.json", "for Model Explorer"},
  };
  verb.run = Run;
  return verb;
}

}  // namespace tessera::pipeline
