// Small steps on lists of integers.

#ifndef TESSERA_SHARDING_PARTITION_TILING_LISTS_H_
#define TESSERA_SHARDING_PARTITION_TILING_LISTS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/tile_assignment.h"

namespace tessera::sharding::partition {

using Ints = absl::Span<const int64_t>;

template <typename Container>
int64_t Size(const Container& c) {
  return static_cast<int64_t>(c.size());
}

template <typename Container>
auto& At(Container& c, int64_t i) {
  return c[static_cast<size_t>(i)];
}
template <typename Container>
const auto& At(const Container& c, int64_t i) {
  return c[static_cast<size_t>(i)];
}

inline bool Contains(Ints list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

inline int64_t Product(Ints list) {
  int64_t product = 1;
  for (int64_t value : list) product *= value;
  return product;
}

inline int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
inline int64_t RoundUp(int64_t a, int64_t b) { return CeilDiv(a, b) * b; }

// 0, 1, .., size - 1.
inline Dims Iota(int64_t size) {
  Dims out(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i) At(out, i) = i;
  return out;
}

// 0 .. size - 1 without the members of `list`.
inline Dims AllExcept(int64_t size, Ints list) {
  Dims out;
  for (int64_t i = 0; i < size; ++i) {
    if (!Contains(list, i)) out.push_back(i);
  }
  return out;
}

// The position of each of 0, 1, 2, .. in the list.
template <typename List = Dims>
List Inverse(Ints order) {
  List out(order.size());
  for (int64_t i = 0; i < Size(order); ++i) At(out, At(order, i)) = i;
  return out;
}

inline void Insert(Dims& dims, int64_t at, int64_t value) { dims.insert(dims.begin() + at, value); }
inline void Erase(Dims& dims, int64_t at) { dims.erase(dims.begin() + at); }

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_TILING_LISTS_H_
