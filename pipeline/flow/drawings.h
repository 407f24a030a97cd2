// The forms in which a FlowGraph leaves the program.

#ifndef TESSERA_PIPELINE_FLOW_DRAWINGS_H_
#define TESSERA_PIPELINE_FLOW_DRAWINGS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tessera/pipeline/flow/flow_graph.h"

namespace tessera::pipeline::flow {

// For a terminal: a line for each tensor, what it reads indented below. The middle is marked.
std::string TerminalText(const FlowGraph& graph);

// For Graphviz: `tessera report step.hlo dot.7 --format=dot | dot -Tsvg`.
std::string DotText(const FlowGraph& graph);

// For Model Explorer: a collection with one graph, whose layers are the scopes of op_name.
std::string ModelExplorerJson(const FlowGraph& graph, absl::string_view module);

}  // namespace tessera::pipeline::flow

#endif  // TESSERA_PIPELINE_FLOW_DRAWINGS_H_
