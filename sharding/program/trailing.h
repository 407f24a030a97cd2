// A list that follows its owner in the same piece of memory.
//
//   struct Op { .. Trailing<Value> results; .. };
//   op->results.Set(begin, 2);                  // `begin` must be after the list itself
//   for (Value& result : op->results) ..
//
// Eight bytes in place of the sixteen of a span. Cannot be copied: what it holds is a distance.

#ifndef TESSERA_SHARDING_PROGRAM_TRAILING_H_
#define TESSERA_SHARDING_PROGRAM_TRAILING_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace tessera::sharding::program {

template <typename T>
class Trailing {
 public:
  Trailing() = default;
  Trailing(const Trailing&) = delete;
  Trailing& operator=(const Trailing&) = delete;

  void Set(T* begin, size_t size) {
    const char* const here = reinterpret_cast<const char*>(this);
    distance_ = static_cast<uint32_t>((reinterpret_cast<char*>(begin) - here) / kUnit);
    size_ = static_cast<uint32_t>(size);
  }
  // Drops elements at the end.
  void Shrink(size_t size) { size_ = static_cast<uint32_t>(size); }

  T* data() const {
    char* const here = reinterpret_cast<char*>(const_cast<Trailing*>(this));
    return reinterpret_cast<T*>(here + size_t{distance_} * kUnit);
  }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() const { return data(); }
  T* end() const { return data() + size_; }
  T& operator[](size_t i) const { return data()[i]; }
  operator absl::Span<T>() const { return {data(), size_}; }  // NOLINT: as of a vector

 private:
  static constexpr ptrdiff_t kUnit = 8;
  static_assert(alignof(T) == kUnit && sizeof(T) % kUnit == 0);

  uint32_t distance_ = 0;  // from here, in units
  uint32_t size_ = 0;
};

}  // namespace tessera::sharding::program

#endif  // TESSERA_SHARDING_PROGRAM_TRAILING_H_
