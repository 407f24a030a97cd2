// Memory for the nodes of a program: handed out in order, given back all at once.
//
//   Arena arena;
//   absl::Span<Use> uses = arena.NewArray<Use>(3);
//
// Only for types that need no destructor. A node costs its size and nothing more. The caller lays
// out related objects in one piece:
//
//   void* place = arena.Take(sizeof(Op) + 2 * sizeof(Value));

#ifndef TESSERA_SHARDING_PROGRAM_ARENA_H_
#define TESSERA_SHARDING_PROGRAM_ARENA_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include "absl/types/span.h"

namespace tessera::sharding::program {

class Arena {
 public:
  template <typename T>
  T* New() {
    return NewArray<T>(1).data();
  }

  // Default-initialised elements; empty for n == 0.
  template <typename T>
  absl::Span<T> NewArray(size_t n) {
    static_assert(std::is_trivially_destructible_v<T>);
    static_assert(alignof(T) <= kAlign);
    if (n == 0) return {};
    T* const begin = static_cast<T*>(Take(n * sizeof(T)));
    for (size_t i = 0; i < n; ++i) new (begin + i) T;
    return absl::MakeSpan(begin, n);
  }

  // Memory for anything that needs no destructor.
  void* Take(size_t bytes) {
    bytes = (bytes + kAlign - 1) / kAlign * kAlign;
    if (bytes > left_) Grow(bytes);
    void* const place = next_;
    next_ += bytes;
    left_ -= bytes;
    return place;
  }

 private:
  static constexpr size_t kFirstChunk = size_t{1} << 12;
  static constexpr size_t kLargestChunk = size_t{1} << 18;
  static constexpr size_t kAlign = alignof(void*);

  // Chunks of 4 KiB, 8 KiB, .., 256 KiB: a small program does not take what a large one needs.
  void Grow(size_t bytes) {
    left_ = std::max(bytes, next_chunk_);
    next_chunk_ = std::min(2 * next_chunk_, kLargestChunk);
    chunks_.push_back(std::unique_ptr<char[]>(new char[left_]));
    next_ = chunks_.back().get();
  }

  std::vector<std::unique_ptr<char[]>> chunks_;
  char* next_ = nullptr;
  size_t left_ = 0;
  size_t next_chunk_ = kFirstChunk;
};

}  // namespace tessera::sharding::program

#endif  // TESSERA_SHARDING_PROGRAM_ARENA_H_
