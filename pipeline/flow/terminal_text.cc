// Tensors in order of the text, so that what is read stands above who reads it.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/flow/drawings.h"

namespace tessera::pipeline::flow {
namespace {

std::string Line(const FlowNode& node, bool is_middle) {
  std::string line =
      absl::StrCat(is_middle ? "> " : "  ", node.name, "  ", node.shape, "  ", node.spec);
  if (!node.moves.empty())
    absl::StrAppend(&line, "  ", absl::StrJoin(MovesInWords(node.moves), ", "));
  if (!node.location.empty()) absl::StrAppend(&line, "  # ", node.location);
  return line + "\n";
}

std::string Reads(const FlowGraph& graph, const FlowLink& link) {
  std::string line = absl::StrCat("      <- ", graph.nodes[link.from].name);
  if (!link.after.empty()) {
    absl::StrAppend(&line, "  ", graph.nodes[link.from].spec, " -> ", link.after);
  }
  if (!link.moves.empty())
    absl::StrAppend(&line, "  ", absl::StrJoin(MovesInWords(link.moves), ", "));
  return line + "\n";
}

}  // namespace

std::string TerminalText(const FlowGraph& graph) {
  std::vector<std::string> reads(graph.nodes.size());
  for (const FlowLink& link : graph.links) reads[link.to] += Reads(graph, link);
  std::string out;
  for (size_t k = 0; k < graph.nodes.size(); ++k) {
    absl::StrAppend(&out, Line(graph.nodes[k], k == graph.middle), reads[k]);
  }
  return out;
}

}  // namespace tessera::pipeline::flow
