// Choices taken from the bytes of a fuzz input, each byte deciding one thing.
//
//   Choices choose(data, size);
//   const int64_t rank = choose.Below(5);   // 0 to 4
//
// After the end of the input come zeros, so a prefix of an input is a smaller case of it.

#ifndef TESSERA_TESTING_LAYOUT_FUZZ_CHOICES_H_
#define TESSERA_TESTING_LAYOUT_FUZZ_CHOICES_H_

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tessera::layout {

class Choices {
 public:
  Choices(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  // 0 to count-1.
  int64_t Below(int64_t count) { return (at_ < size_ ? data_[at_++] : 0) % count; }

  template <typename List>
  void Shuffle(List* list) {
    for (size_t i = 1; i < list->size(); ++i) {
      std::swap((*list)[i], (*list)[Below(static_cast<int64_t>(i) + 1)]);
    }
  }

 private:
  const uint8_t* data_;
  size_t size_;
  size_t at_ = 0;
};

}  // namespace tessera::layout

#endif  // TESSERA_TESTING_LAYOUT_FUZZ_CHOICES_H_
