#include "tessera/layout/leaves.h"

#include <algorithm>

#include "absl/algorithm/container.h"

namespace tessera::layout {
namespace {

void AddPaths(const Shape& shape, LeafPath* path, std::vector<LeafPath>* paths) {
  if (!shape.is_tuple()) {
    paths->push_back(*path);
    return;
  }
  for (size_t i = 0; i < shape.tuple_elements().size(); ++i) {
    path->push_back(static_cast<int64_t>(i));
    AddPaths(shape.tuple_elements()[i], path, paths);
    path->pop_back();
  }
}

}  // namespace

std::vector<LeafPath> LeafPaths(const Shape& shape) {
  std::vector<LeafPath> paths;
  LeafPath path;
  AddPaths(shape, &path, &paths);
  return paths;
}

size_t NumLeaves(const Shape& shape) {
  size_t n = 0;
  ForEachLeaf(shape, [&](const Shape&) { ++n; });
  return n;
}

absl::InlinedVector<const Shape*, 2> LeafShapes(const Shape& shape) {
  absl::InlinedVector<const Shape*, 2> leaves;
  ForEachLeaf(shape, [&](const Shape& leaf) { leaves.push_back(&leaf); });
  return leaves;
}

bool HasTiles(const Shape& shape) {
  return absl::c_any_of(LeafShapes(shape), [](const Shape* leaf) {
    return leaf->is_array() && leaf->has_layout() && !leaf->layout().tiles.empty();
  });
}

const Shape* ElementAt(const Shape& shape, absl::Span<const int64_t> path) {
  const Shape* at = &shape;
  for (const int64_t index : path) {
    if (!at->is_tuple() || index < 0 || static_cast<size_t>(index) >= at->tuple_elements().size()) {
      return nullptr;
    }
    at = &at->tuple_elements()[static_cast<size_t>(index)];
  }
  return at;
}

const std::vector<size_t>& LeafNumbers::Begins(const Shape& tuple) {
  std::vector<size_t>& begins = begins_[&tuple];
  if (!begins.empty()) return begins;
  size_t count = 0;
  for (const Shape& element : tuple.tuple_elements()) {
    begins.push_back(count);
    count += NumLeaves(element);
  }
  begins.push_back(count);
  return begins;
}

std::pair<size_t, size_t> LeafNumbers::ElementOf(const Shape& tuple, size_t leaf) {
  const std::vector<size_t>& begins = Begins(tuple);
  const auto next = std::upper_bound(begins.begin(), begins.end(), leaf);
  if (next == begins.end()) return {tuple.tuple_elements().size(), 0};
  return {static_cast<size_t>(next - begins.begin()) - 1, leaf - *(next - 1)};
}

size_t LeafNumbers::Of(const Shape& shape, absl::Span<const int64_t> path) {
  size_t number = 0;
  const Shape* at = &shape;
  for (const int64_t index : path) {
    if (!at->is_tuple()) break;
    const size_t elements = at->tuple_elements().size();
    const size_t i = std::min(static_cast<size_t>(index), elements);
    number += Begins(*at)[i];
    if (i == elements) break;
    at = &at->tuple_elements()[i];
  }
  return number;
}

}  // namespace tessera::layout
