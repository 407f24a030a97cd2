#include "tessera/pipeline/flow/flow_graph.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/report/flow_edges.h"

namespace tessera::pipeline::flow {
namespace {

using Ends = std::pair<int, int>;  // rows

FlowNode NodeOf(const hlo::Module& module, const TensorTable& table, int row) {
  const Tensor& tensor = table.tensors()[static_cast<size_t>(row)];
  FlowNode node;
  node.row = row;
  node.name = tensor.name;
  node.opcode = table.is_result(row)
                    ? "result"
                    : std::string(hlo::OpcodeName(module.instruction(tensor.instruction).opcode));
  node.shape = layout::ShapeToString(tensor.shape->WithoutLayout());
  node.spec = tensor.spec;
  node.op_name = tensor.op_name;
  node.location = tensor.location;
  return node;
}

// Reshards name instructions of what was propagated.
void AddChanges(const ReportData& data, const absl::flat_hash_map<Ends, size_t>& numbers,
                FlowGraph* graph) {
  const auto row = [&](hlo::InstructionId id) {
    return id == hlo::kNoId ? kNoRow : data.table->row(id, 0);
  };
  for (const Reshard& reshard : data.reshards.list) {
    for (const ReshardEnds& ends : reshard.ends) {
      const auto found = numbers.find({row(ends.producer), row(ends.consumer)});
      if (found != numbers.end()) graph->links[found->second].after = reshard.to;
    }
  }
}

void AddMoves(const ReportData& data, const absl::flat_hash_map<Ends, size_t>& numbers,
              FlowGraph* graph) {
  for (const CollectiveLine& line : data.collectives) {
    const int from = data.RowOf(line.made.producer), to = data.RowOf(line.made.cause);
    const auto found = numbers.find({from, to});
    if (found != numbers.end()) {
      graph->links[found->second].moves[line.op] += line.total();
    } else if (to != kNoRow) {
      graph->nodes[static_cast<size_t>(to)].moves[line.op] += line.total();
    }
  }
}

}  // namespace

std::vector<std::string> MovesInWords(const Moves& moves) {
  std::vector<std::string> words;
  for (const auto& [op, bytes] : moves) {
    words.push_back(absl::StrCat(op, " ", layout::FormatBytes(bytes)));
  }
  return words;
}

FlowGraph Flow(const ReportData& data) {
  const hlo::Module& module = data.explained.sharded->module;
  FlowGraph graph;
  for (int row = 0; row < data.table->size(); ++row) {
    graph.nodes.push_back(NodeOf(module, *data.table, row));
  }
  absl::flat_hash_map<Ends, size_t> numbers;
  for (const FlowEdge& edge : FlowEdges(module, *data.table)) {
    numbers.emplace(Ends(edge.from, edge.to), graph.links.size());
    FlowLink link;
    link.from = static_cast<size_t>(edge.from);
    link.to = static_cast<size_t>(edge.to);
    graph.links.push_back(std::move(link));
  }
  if (!data.partitioned.ok()) return graph;
  AddMoves(data, numbers, &graph);
  AddChanges(data, numbers, &graph);
  return graph;
}

FlowGraph Around(const FlowGraph& graph, int row, int64_t within) {
  std::vector<char> near(graph.nodes.size(), 0);
  near[static_cast<size_t>(row)] = 1;
  for (int64_t step = 0; step < within; ++step) {
    const std::vector<char> before = near;
    for (const FlowLink& link : graph.links) {
      if (before[link.from] || before[link.to]) near[link.from] = near[link.to] = 1;
    }
    if (near == before) break;
  }
  FlowGraph part;
  std::vector<size_t> number(graph.nodes.size(), FlowGraph::kNone);
  for (size_t k = 0; k < graph.nodes.size(); ++k) {
    if (!near[k]) continue;
    number[k] = part.nodes.size();
    part.nodes.push_back(graph.nodes[k]);
  }
  part.middle = number[static_cast<size_t>(row)];
  for (FlowLink link : graph.links) {
    if (!near[link.from] || !near[link.to]) continue;
    link.from = number[link.from];
    link.to = number[link.to];
    part.links.push_back(std::move(link));
  }
  return part;
}

}  // namespace tessera::pipeline::flow
