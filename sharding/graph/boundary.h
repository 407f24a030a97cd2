// Shardings at the border of a function, where data comes from or goes to the outside.
//
//   // mesh x=4 y=2
//   EvenlySharded([{"y","x"}], {4}, mesh);   // [{"y", "x":(1)2}]: 4 = 2 * 2
//   CutSubAxes([{"y","x":(1)2, ?}]);         // [{"y", ?}]
//
// Inside a program a dimension may be sharded into more parts than it has elements, at a price in
// padding. What crosses the border must divide evenly, and only whole axes may do it, unless the
// user closed the dimension himself.

#ifndef TESSERA_SHARDING_GRAPH_BOUNDARY_H_
#define TESSERA_SHARDING_GRAPH_BOUNDARY_H_

#include <cstdint>

#include "absl/types/span.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::graph {

// Keeps of each dimension the leading axes, and the leading part of the first one that does not
// fit, whose sizes divide the dimension. `dims` are the sizes of the tensor, as many as `s` has
// dimensions. A changed dimension loses its priority.
TensorSharding EvenlySharded(const TensorSharding& s, absl::Span<const int64_t> dims,
                             const Mesh& mesh);

// Cuts each open dimension before its first sub-axis.
TensorSharding CutSubAxes(const TensorSharding& s);

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_BOUNDARY_H_
