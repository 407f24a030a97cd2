// A box for each tensor; an edge on which something is sent is red and says what.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "tessera/pipeline/flow/drawings.h"

namespace tessera::pipeline::flow {
namespace {

std::string Quoted(absl::string_view text) {
  return absl::StrCat(
      "\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}}), "\"");
}

std::string Node(const FlowNode& node, size_t number, bool is_middle) {
  std::vector<std::string> lines = {node.name, node.shape, node.spec};
  if (!node.location.empty()) lines.push_back(node.location);
  for (const std::string& moved : MovesInWords(node.moves)) lines.push_back(moved);
  return absl::StrCat("  n", number, " [label=", Quoted(absl::StrJoin(lines, "\n")),
                      is_middle ? ", penwidth=3" : "", node.moves.empty() ? "" : ", color=red",
                      "];\n");
}

std::string Link(const FlowLink& link) {
  std::vector<std::string> lines = MovesInWords(link.moves);
  if (!link.after.empty()) lines.push_back(absl::StrCat("becomes ", link.after));
  const std::string label =
      absl::StrCat(" [label=", Quoted(absl::StrJoin(lines, "\n")), ", color=red, fontcolor=red]");
  return absl::StrCat("  n", link.from, " -> n", link.to, lines.empty() ? "" : label, ";\n");
}

}  // namespace

std::string DotText(const FlowGraph& graph) {
  std::string out =
      "digraph module {\n  node [shape=box, fontname=monospace, fontsize=10];\n"
      "  edge [fontname=monospace, fontsize=9];\n";
  for (size_t k = 0; k < graph.nodes.size(); ++k) {
    absl::StrAppend(&out, Node(graph.nodes[k], k, k == graph.middle));
  }
  for (const FlowLink& link : graph.links) absl::StrAppend(&out, Link(link));
  return out + "}\n";
}

}  // namespace tessera::pipeline::flow
