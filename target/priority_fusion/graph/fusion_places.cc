// Places of the kernels of a graph: operands have smaller ones, also when two kernels become one.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/target/priority_fusion/graph/fusion_graph.h"

namespace tessera::target {

// Depth first: a way back is most often found long before all that lies between was seen.
bool FusionGraph::Reaches(uint32_t from, uint32_t to) const {
  if (from == to) return true;
  if (places_[from] > places_[to]) return false;
  ++mark_;
  open_.assign(1, to);
  while (!open_.empty()) {
    const uint32_t kernel = open_.back();
    open_.pop_back();
    for (const uint32_t operand : nodes_[kernel].operands) {
      if (operand == from) return true;
      if (places_[operand] < places_[from]) continue;
      if (std::exchange(marks_[operand], mark_) == mark_) continue;
      open_.push_back(operand);
    }
  }
  return false;
}

std::vector<uint32_t> FusionGraph::Between(uint32_t kernel, Kernels Node::*next, uint32_t after,
                                           uint32_t before) const {
  ++mark_;
  std::vector<uint32_t> found = {kernel};
  for (size_t k = 0; k < found.size(); ++k) {
    for (const uint32_t to : nodes_[found[k]].*next) {
      if (places_[to] <= after || places_[to] >= before) continue;
      if (std::exchange(marks_[to], mark_) != mark_) found.push_back(to);
    }
  }
  return found;
}

std::vector<uint32_t> FusionGraph::ByPlace(std::vector<uint32_t> kernels) const {
  absl::c_sort(kernels, [&](uint32_t a, uint32_t b) { return places_[a] < places_[b]; });
  return kernels;
}

void FusionGraph::PutAt(uint32_t place, uint32_t kernel) {
  places_[kernel] = place;
  kernels_by_place_[place] = kernel;
}

// What needs the first one, and what the last one needs, change places, as by Pearce and Kelly ("A dynamic
// topological sort algorithm for directed acyclic graphs"). The two then stand side by side.
void FusionGraph::JoinPlaces(uint32_t kept, uint32_t gone) {
  const uint32_t first = places_[kept] < places_[gone] ? kept : gone;
  const uint32_t last = first == kept ? gone : kept;
  std::vector<uint32_t> moved =
      ByPlace(Between(last, &Node::operands, places_[first], places_[last] + 1));
  const auto needed = static_cast<ptrdiff_t>(moved.size());
  absl::c_copy(ByPlace(Between(first, &Node::users, places_[first], places_[last])),
               std::back_inserter(moved));
  std::vector<uint32_t> places;
  for (const uint32_t kernel : moved) places.push_back(places_[kernel]);
  std::inplace_merge(places.begin(), places.begin() + needed, places.end());
  for (size_t k = 0; k < moved.size(); ++k) PutAt(places[k], moved[k]);
  PutAt(places_[last], kept);
}

}  // namespace tessera::target
