#include "tessera/target/priority_fusion/graph/content.h"

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

namespace tessera::target {
namespace {

// Numbers, and how many.
template <typename T>
void AddContentOf(absl::Span<const T> list, std::string* bytes) {
  AddContent(list.size(), bytes);
  bytes->append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
}

// The facts that decide tiles of Triton.
void AddShape(const FusionGraph& graph, uint32_t op, std::string* bytes) {
  const layout::Shape& shape = graph.ShapeOf(op);
  AddContent(shape.is_array() ? shape.element_type() : layout::ElementType::kInvalid, bytes);
  AddContentOf(shape.dims(), bytes);
  absl::StrAppend(bytes, graph.DimensionsOf(op));
}

// All members of OpFacts: one that is left out would make computations alike that are not.
void AddFacts(const OpFacts& facts, std::string* bytes) {
  const bool are[] = {facts.is_elementwise,  facts.is_fusible,  facts.has_reduction,
                      facts.is_tiled_reduce, facts.moves_minor, facts.is_tiled_transpose};
  AddContent(are, bytes);
  const double numbers[] = {facts.tiles, facts.elements,      facts.bytes,
                            facts.flops, facts.written_bytes, facts.looped_elements};
  AddContent(numbers, bytes);
  AddContent(facts.opcode, bytes);
  AddContent(facts.runs.size(), bytes);
  for (const auto& [is_reduced, size] : facts.runs) {
    AddContent(is_reduced, bytes);
    AddContent(size, bytes);
  }
  AddContent(facts.slice.size(), bytes);
  for (const hlo::SliceDimension& d : facts.slice) {
    for (const int64_t number : {d.start, d.limit, d.stride}) AddContent(number, bytes);
  }
  AddContentOf<double>(facts.utilization, bytes);
}

}  // namespace

void AddContentOfOp(const FusionGraph& graph, uint32_t op, std::string* bytes) {
  AddFacts(graph.facts()[op], bytes);
  if (graph.HasTriton()) AddShape(graph, op, bytes);
}

}  // namespace tessera::target
