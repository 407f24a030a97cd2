// The first leaf of each element of a tuple.
//
//   TupleLeaves offsets(module);
//   offsets.Of(shape);        // of (f32[2], (f32[3], f32[4]), f32[5]): 0, 1, 3, 4
//
// Computed once for each shape. Tested by partitioner_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_TUPLE_LEAVES_H_
#define TESSERA_SHARDING_PARTITION_TUPLE_LEAVES_H_

#include <cstdint>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/ops/visit.h"

namespace tessera::sharding::partition {

class TupleLeaves {
 public:
  explicit TupleLeaves(const hlo::Module& module) : module_(module) {}

  // The end of the last one included.
  const std::vector<int64_t>& Of(hlo::ShapeId tuple) {
    if (last_ != nullptr && shape_ == tuple) return *last_;
    std::vector<int64_t>& begin = known_[tuple];
    if (begin.empty()) begin = LeafOffsets(module_.interned_shape(tuple));
    shape_ = tuple;
    last_ = &begin;
    return begin;
  }

 private:
  const hlo::Module& module_;
  absl::node_hash_map<hlo::ShapeId, std::vector<int64_t>> known_;
  hlo::ShapeId shape_ = 0;  // asked for last
  const std::vector<int64_t>* last_ = nullptr;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_TUPLE_LEAVES_H_
