#include "tessera/target/priority_fusion/graph/slices.h"

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"

namespace tessera::target {
namespace {

using Slice = std::vector<hlo::SliceDimension>;

constexpr double kFewBytes = 1024;

// The op that alone reads the result of `parent`.
std::optional<uint32_t> OnlyReader(const FusionGraph::Node& node, uint32_t parent) {
  std::optional<uint32_t> reader;
  for (const Expression& output : node.outputs) {
    for (const FusedOp& op : output) {
      if (!absl::c_linear_search(op.reads, Read{Read::kKernel, parent})) continue;
      if (reader.has_value() && *reader != op.op) return std::nullopt;
      reader = op.op;
    }
  }
  return reader;
}

// Nullptr where it is not read by one slice.
const Slice* SliceOf(const FusionGraph& graph, uint32_t kernel, uint32_t parent) {
  const std::optional<uint32_t> reader = OnlyReader(graph.node(kernel), parent);
  if (!reader.has_value() || graph.facts()[*reader].opcode != Opcode::kSlice) return nullptr;
  return &graph.facts()[*reader].slice;
}

}  // namespace

bool ReadDifferentSlices(const FusionGraph& graph, uint32_t a, uint32_t b, uint32_t parent) {
  if (graph.IsMultiOutput(parent) || graph.Result(parent).bytes < kFewBytes) return false;
  const Slice *const one = SliceOf(graph, a, parent), *const other = SliceOf(graph, b, parent);
  if (one == nullptr || other == nullptr) return false;
  for (size_t d = 0; d < one->size(); ++d) {
    if ((*one)[d].start >= (*other)[d].limit || (*other)[d].start >= (*one)[d].limit) return true;
  }
  return false;
}

}  // namespace tessera::target
