#include "tessera/pipeline/verbs/report_graph.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/explain/find_tensor.h"
#include "tessera/pipeline/flow/drawings.h"
#include "tessera/pipeline/flow/flow_graph.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/report/report_data.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
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

const Form* FindForm(absl::string_view name) {
  for (const Form& form : kForms) {
    if (form.name == name) return &form;
  }
  return nullptr;
}

absl::StatusOr<int> RowNamed(const ReportData& data, const std::string& name) {
  TESSERA_ASSIGN_OR_RETURN(const FoundTensor found, FindTensor(data.explained, name));
  for (int row = 0; row < data.table->size(); ++row) {
    if (data.table->SlotOf(data.explained, row) == found.slot) return row;
  }
  return absl::NotFoundError(
      absl::StrCat("'", name, "' is not in the graph; `tessera shardings` lists what is"));
}

absl::StatusOr<flow::FlowGraph> Chosen(const ReportData& data, const std::string& name,
                                       int64_t within) {
  flow::FlowGraph graph = flow::Flow(data);
  if (name.empty()) return graph;
  TESSERA_ASSIGN_OR_RETURN(const int row, RowNamed(data, name));
  return flow::Around(graph, row, within);
}

}  // namespace

bool IsGraphFormat(absl::string_view format) { return FindForm(format) != nullptr; }

VerbResult ReportGraph(const Arguments& arguments) {
  ReportRequest request;
  auto options = ReadPropagationOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  request.options = *std::move(options);
  request.file = arguments.positional(0);
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
    return Done(FindForm(arguments.Get("format"))
                    ->write(graph, data.explained.sharded->module.header().name),
                absl::StrCat(absl::StrJoin(data.notes, ""), unmoved));
  });
}

}  // namespace tessera::pipeline
