// Values by the words that they depend on, each made once.
//
//   KnownValues<Dims> known;
//   known.Of({7, 2}, [&] { return FindDims(..); });    // called for new words only
//
// A value stays where it is. Cost: the words. Tested by numbering_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_TILING_KNOWN_VALUES_H_
#define TESSERA_SHARDING_PARTITION_TILING_KNOWN_VALUES_H_

#include <deque>

#include "tessera/sharding/partition/tiling/numbering.h"

namespace tessera::sharding::partition {

template <typename T>
class KnownValues {
 public:
  // `make` asks for no other value.
  template <typename Make>
  const T& Of(Numbering::Words words, const Make& make) {
    const auto [number, is_new] = numbers_.Of(words);
    if (is_new) values_.push_back(make());
    return values_[number];
  }

 private:
  Numbering numbers_;
  std::deque<T> values_;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_TILING_KNOWN_VALUES_H_
