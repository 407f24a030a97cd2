// A list that grows at its end and whose elements do not move.
//
//   StableList<Shape> shapes;
//   const Shape* a = &shapes.Add(std::move(shape));
//   shapes.Add(other);                // *a is still valid
//   shapes[0];                        // *a
//
// std::deque allocates each element alone if it is larger than half a block, as shapes are; this
// list allocates 32 at once. Tested by visit_cache_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_STABLE_LIST_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_STABLE_LIST_H_

#include <cstddef>
#include <utility>
#include <vector>

namespace tessera::sharding::partition {

template <typename T>
class StableList {
 public:
  T& Add(T value) {
    if (blocks_.empty() || blocks_.back().size() == kBlock) {
      blocks_.emplace_back().reserve(kBlock);
    }
    return blocks_.back().emplace_back(std::move(value));
  }
  size_t size() const {
    return blocks_.empty() ? 0 : (blocks_.size() - 1) * kBlock + blocks_.back().size();
  }
  const T& operator[](size_t i) const { return blocks_[i / kBlock][i % kBlock]; }

 private:
  static constexpr size_t kBlock = 32;

  std::vector<std::vector<T>> blocks_;  // all full but the last
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_STABLE_LIST_H_
