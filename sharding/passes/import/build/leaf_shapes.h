// The shapes of the leaves of a shape, where they stand in it.
//
//   for (const layout::Shape* leaf : LeafShapes(shape)) ..    // (f32[2], (s32[])): f32[2], s32[]

#ifndef TESSERA_SHARDING_PASSES_IMPORT_BUILD_LEAF_SHAPES_H_
#define TESSERA_SHARDING_PASSES_IMPORT_BUILD_LEAF_SHAPES_H_

#include "absl/container/inlined_vector.h"
#include "tessera/layout/shape.h"

namespace tessera::sharding::passes {

inline absl::InlinedVector<const layout::Shape*, 2> LeafShapes(const layout::Shape& shape) {
  absl::InlinedVector<const layout::Shape*, 2> leaves;
  layout::ForEachLeaf(shape, [&](const layout::Shape& leaf) { leaves.push_back(&leaf); });
  return leaves;
}

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_BUILD_LEAF_SHAPES_H_
