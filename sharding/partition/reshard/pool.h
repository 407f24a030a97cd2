// A list of plain values that grows at its end: room is reserved first and filled in place.
//
//   Pool<NodeId> pool;
//   NodeId* room = pool.Room(2);     // for two more
//   room[0] = 3, room[1] = 5;
//   pool.Add(2);                     // now the list has them
//
// Unlike a vector, it does not initialise that room. Tested by visit_cache_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_POOL_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_POOL_H_

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>

namespace tessera::sharding::partition {

template <typename T>
class Pool {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { Free(); }

  size_t size() const { return size_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }

  // Good until the next call.
  T* Room(size_t count) {
    if (capacity_ - size_ < count) Reserve(std::max(size_ + count, 2 * capacity_));
    return data_ + size_;
  }
  void Add(size_t count) { size_ += count; }
  void Reserve(size_t capacity) {
    if (capacity <= capacity_) return;
    T* const data = std::allocator<T>().allocate(capacity);
    if (size_ != 0) std::memcpy(static_cast<void*>(data), data_, size_ * sizeof(T));
    Free();
    data_ = data;
    capacity_ = capacity;
  }

 private:
  void Free() {
    if (data_ != nullptr) std::allocator<T>().deallocate(data_, capacity_);
  }

  T* data_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_POOL_H_
