#include "tessera/pipeline/writers/leaf_paths.h"

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

size_t LeafNumber(const layout::Shape& shape, absl::Span<const int64_t> path) {
  if (path.empty() || !shape.is_tuple()) return 0;
  const auto elements = shape.tuple_elements();
  const size_t index = static_cast<size_t>(path[0]);
  size_t before = 0;
  for (size_t i = 0; i < index && i < elements.size(); ++i) before += NumLeaves(elements[i]);
  return index < elements.size() ? before + LeafNumber(elements[index], path.subspan(1)) : before;
}

}  // namespace tessera::pipeline::writers
