// The tensors of a module as a graph, whole or around one of them, with what the partitioner sends
// on the edges: what `tessera graph` draws.
//
//   FlowGraph graph = Flow(data);                       // the whole module
//   graph = Around(graph, /*row=*/7, /*within=*/2);     // up to two edges away, and edges between
//
//   x   f32[16,32]  P('data', None)
//   w1  f32[32,64]  P('data', None)
//   x -> h;  w1 -> h  "all-gather 1.5 KiB", becomes P()
//
// Cost: linear in tensors, edges and collectives. Tested by flow_test.cc.

#ifndef TESSERA_PIPELINE_FLOW_FLOW_GRAPH_H_
#define TESSERA_PIPELINE_FLOW_FLOW_GRAPH_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tessera/pipeline/report/report_data.h"

namespace tessera::pipeline::flow {

// Bytes that each device sends, in all runs, by the name of the collective.
using Moves = std::map<std::string, int64_t>;

// "all-gather 1.5 KiB", one text for each name.
std::vector<std::string> MovesInWords(const Moves& moves);

struct FlowNode {
  int row = 0;  // of the report's table
  std::string name, opcode, shape, spec, op_name, location;
  Moves moves;  // to make it, on no edge: the parts of a sum
};

struct FlowLink {
  size_t from = 0, to = 0;  // numbers of nodes
  Moves moves;
  std::string after;  // the sharding in which it arrives, where that is another
};

struct FlowGraph {
  std::vector<FlowNode> nodes;
  std::vector<FlowLink> links;
  size_t middle = kNone;  // the node of the question

  static constexpr size_t kNone = static_cast<size_t>(-1);
};

FlowGraph Flow(const ReportData& data);

// The nodes within so many edges of the row, in the order of `graph`.
FlowGraph Around(const FlowGraph& graph, int row, int64_t within);

}  // namespace tessera::pipeline::flow

#endif  // TESSERA_PIPELINE_FLOW_FLOW_GRAPH_H_
