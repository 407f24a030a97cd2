// Leaves of tuple shapes by path and by number.

#ifndef TESSERA_PIPELINE_WRITERS_LEAF_PATHS_H_
#define TESSERA_PIPELINE_WRITERS_LEAF_PATHS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/layout/shape.h"

namespace tessera::pipeline::writers {

using LeafPath = absl::InlinedVector<int64_t, 4>;

// {{}} for an array, {{0}, {1, 0}} for (f32[], (f32[2])).
std::vector<LeafPath> LeafPaths(const layout::Shape& shape);

size_t NumLeaves(const layout::Shape& shape);

// Numbers of leaves by path. The leaves in front of each element of a tuple are counted once; shapes
// must stay where they are.
class LeafNumbers {
 public:
  // Number of all leaves of a shape.
  size_t Count(const layout::Shape& shape) { return shape.is_tuple() ? Begins(shape).back() : 1; }

  // Number of the first leaf at or below `path` among all leaves.
  size_t Of(const layout::Shape& shape, absl::Span<const int64_t> path);

  // The element of a tuple that holds its leaf number `leaf`, and the number of that leaf in it;
  // as many elements as there are for a leaf too many. Logarithmic in the elements.
  std::pair<size_t, size_t> ElementOf(const layout::Shape& tuple, size_t leaf);

 private:
  // The number of the first leaf of each element of the tuple, and of all its leaves.
  const std::vector<size_t>& Begins(const layout::Shape& tuple);

  absl::flat_hash_map<const layout::Shape*, std::vector<size_t>> begins_;
};

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_LEAF_PATHS_H_
