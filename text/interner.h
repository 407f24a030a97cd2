// Equal values get equal small numbers, in the order in which they first came.
//
//   text::Interner<Shape> shapes;
//   uint32_t id = shapes.Intern(shape);     // amortised O(hash)
//   const Shape& same = shapes[id];         // O(1), valid while the interner lives, moved or not
//
// T needs == and AbslHashValue. Each value is held once, in chunks of fixed size that never move, so
// that a reader of one value may intern another; the table holds numbers only.

#ifndef TESSERA_TEXT_INTERNER_H_
#define TESSERA_TEXT_INTERNER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"

namespace tessera::text {

template <typename T>
class Interner {
 public:
  Interner() = default;
  Interner(const Interner&) = delete;
  Interner& operator=(const Interner&) = delete;
  Interner(Interner&&) = default;
  Interner& operator=(Interner&&) = default;

  // `value` may be one of the interner's own.
  uint32_t Intern(const T& value) {
    const auto found = ids_.find(value);
    return found != ids_.end() ? *found : Add(value);
  }
  const T& operator[](uint32_t id) const { return (*values_)[id]; }
  uint32_t size() const { return values_->size(); }

 private:
  // Grows at its end without moving what it holds.
  class Chunks {
   public:
    const T& operator[](uint32_t id) const { return chunks_[id / kChunk][id % kChunk]; }
    uint32_t size() const { return size_; }
    void Append(const T& value) {
      if (size_ % kChunk == 0) {
        chunks_.emplace_back();
        chunks_.back().reserve(kChunk);
      }
      chunks_.back().push_back(value);
      ++size_;
    }

   private:
    static constexpr uint32_t kChunk = 64;
    std::vector<std::vector<T>> chunks_;
    uint32_t size_ = 0;
  };

  // Numbers hash and compare as the values that they stand for; a value can be looked up without a
  // copy.
  struct Hash {
    using is_transparent = void;
    const Chunks* values;
    size_t operator()(uint32_t id) const { return absl::Hash<T>()((*values)[id]); }
    size_t operator()(const T& value) const { return absl::Hash<T>()(value); }
  };
  struct Equal {
    using is_transparent = void;
    const Chunks* values;
    bool operator()(uint32_t a, uint32_t b) const { return (*values)[a] == (*values)[b]; }
    bool operator()(const T& a, uint32_t b) const { return a == (*values)[b]; }
    bool operator()(uint32_t a, const T& b) const { return (*values)[a] == b; }
  };

  uint32_t Add(const T& value) {
    values_->Append(value);
    const uint32_t id = size() - 1;
    ids_.insert(id);
    return id;
  }

  std::unique_ptr<Chunks> values_ = std::make_unique<Chunks>();
  absl::flat_hash_set<uint32_t, Hash, Equal> ids_{0, Hash{values_.get()}, Equal{values_.get()}};
};

}  // namespace tessera::text

#endif  // TESSERA_TEXT_INTERNER_H_
