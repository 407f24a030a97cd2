// Words of the text of a rule, which are factors one after the other.
//
//   FactorWord word = WordAtStart("zz_12i, j", 0);     // "zz_12i"
//   TakeFactor(word);                                  // 17, of z; the word is now "z_12i"
//
// A word is cut into factors from the left: "z_" takes all digits after it, any other letter stands
// for itself, so that "zz_12i" is z, z_12, i.
//
// Linear in the text. Tested in rule_text_test.cc.

#ifndef TESSERA_SHARDING_FACTORS_FACTOR_WORDS_H_
#define TESSERA_SHARDING_FACTORS_FACTOR_WORDS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera::sharding::factors {

// A run of letters, digits and underscores, and where it stands.
struct FactorWord {
  absl::string_view text;
  size_t offset = 0;
};

// The word with which `rest` begins; empty if there is none. `offset`: of `rest`.
FactorWord WordAtStart(absl::string_view rest, size_t offset);

// Takes one factor off the front of `word`, which is not empty. InvalidArgument with an offset.
absl::StatusOr<int64_t> TakeFactor(FactorWord& word);

}  // namespace tessera::sharding::factors

#endif  // TESSERA_SHARDING_FACTORS_FACTOR_WORDS_H_
