#include "tessera/pipeline/writers/leaf_paths.h"

#include <algorithm>

namespace tessera::pipeline::writers {
namespace {

void AddPaths(const layout::Shape& shape, LeafPath* path, std::vector<LeafPath>* paths) {
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

std::vector<LeafPath> LeafPaths(const layout::Shape& shape) {
  std::vector<LeafPath> paths;
  LeafPath path;
  AddPaths(shape, &path, &paths);
  return paths;
}

size_t NumLeaves(const layout::Shape& shape) {
  size_t n = 0;
  layout::ForEachLeaf(shape, [&](const layout::Shape&) { ++n; });
  return n;
}

const std::vector<size_t>& LeafNumbers::Begins(const layout::Shape& tuple) {
  std::vector<size_t>& begins = begins_[&tuple];
  if (!begins.empty()) return begins;
  size_t count = 0;
  for (const layout::Shape& element : tuple.tuple_elements()) {
    begins.push_back(count);
    count += NumLeaves(element);
  }
  begins.push_back(count);
  return begins;
}

std::pair<size_t, size_t> LeafNumbers::ElementOf(const layout::Shape& tuple, size_t leaf) {
  const std::vector<size_t>& begins = Begins(tuple);
  const auto next = std::upper_bound(begins.begin(), begins.end(), leaf);
  if (next == begins.end()) return {tuple.tuple_elements().size(), 0};
  return {static_cast<size_t>(next - begins.begin()) - 1, leaf - *(next - 1)};
}

size_t LeafNumbers::Of(const layout::Shape& shape, absl::Span<const int64_t> path) {
  size_t number = 0;
  const layout::Shape* at = &shape;
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

}  // namespace tessera::pipeline::writers
