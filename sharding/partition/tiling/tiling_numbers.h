// Numbers for tilings: equal in every way, equal number.
//
//   TilingNumbers numbers;
//   numbers.Of(t) == numbers.Of(copy_of_t);     // found without reading the tiling
//
// Keys of what depends on a tiling have its number in place of its axes. Cost: a few machine
// instructions for a copy of one of the last tilings, else the words of the tiling. Tested by
// numbering_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_TILING_TILING_NUMBERS_H_
#define TESSERA_SHARDING_PARTITION_TILING_TILING_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/sharding/partition/tiling/numbering.h"
#include "tessera/sharding/partition/tiling/tiling.h"

namespace tessera::sharding::partition {

class TilingNumbers {
 public:
  uint64_t Of(const Tiling& tiling) {
    Last& last = last_[tiling.IdentityHash() % kLast];
    if (!last.is_known || last.tiling.identity() != tiling.identity()) {
      last = {tiling, Find(tiling), true};
    }
    return last.number;
  }

 private:
  static constexpr size_t kLast = 256;
  struct Last {
    Tiling tiling;  // kept alive, and so its identity is its own
    uint64_t number = 0;
    bool is_known = false;
  };

  uint64_t Find(const Tiling& tiling) {
    words_.clear();
    tiling.AppendNumbers(&words_);
    return numbers_.Of(words_).number;
  }

  std::vector<Last> last_ = std::vector<Last>(kLast);
  Numbering numbers_;
  std::vector<uint64_t> words_;  // of the tiling whose number is asked for
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_TILING_TILING_NUMBERS_H_
