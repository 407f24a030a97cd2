// The leaves of tuple shapes (arrays, tokens): how many, where they stand, by path and by number.
//
//   NumLeaves(shape);                         // 3 for (f32[2], (f32[3], token[]))
//   LeafPaths(shape);                         // {0}, {1, 0}, {1, 1}
//   LeafNumbers().Of(shape, {1});             // 1: the first leaf of element 1
//   ElementAt(shape, {1, 0});                 // f32[3]

#ifndef TESSERA_LAYOUT_LEAVES_H_
#define TESSERA_LAYOUT_LEAVES_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/layout/shape.h"

namespace tessera::layout {

using LeafPath = absl::InlinedVector<int64_t, 4>;

// {{}} for an array, {{0}, {1, 0}} for (f32[], (f32[2])).
std::vector<LeafPath> LeafPaths(const Shape& shape);

// 1 for an array.
size_t NumLeaves(const Shape& shape);

// Each leaf where it stands in the shape, in order.
absl::InlinedVector<const Shape*, 2> LeafShapes(const Shape& shape);

// Whether the layout of a leaf has tiles.
bool HasTiles(const Shape& shape);

// The tuple or leaf at a path; null if there is none.
const Shape* ElementAt(const Shape& shape, absl::Span<const int64_t> path);

// Numbers of leaves by path. The leaves in front of each element of a tuple are counted once; shapes
// must stay where they are.
class LeafNumbers {
 public:
  // Number of all leaves of a shape.
  size_t Count(const Shape& shape) { return shape.is_tuple() ? Begins(shape).back() : 1; }

  // Number of the first leaf at or below `path` among all leaves.
  size_t Of(const Shape& shape, absl::Span<const int64_t> path);

  // The element of a tuple that holds its leaf number `leaf`, and the number of that leaf in it;
  // as many elements as there are for a leaf too many. Logarithmic in the elements.
  std::pair<size_t, size_t> ElementOf(const Shape& tuple, size_t leaf);

 private:
  // The number of the first leaf of each element of the tuple, and of all its leaves.
  const std::vector<size_t>& Begins(const Shape& tuple);

  absl::flat_hash_map<const Shape*, std::vector<size_t>> begins_;
};

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_LEAVES_H_
