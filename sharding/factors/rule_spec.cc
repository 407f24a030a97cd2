#include "tessera/sharding/factors/rule_spec.h"

#include "absl/strings/str_cat.h"

namespace tessera::sharding::factors {

std::string FactorName(int64_t index) {
  constexpr int kLetters = 'z' - 'i' + 1;
  if (index < 0) return absl::StrCat(index);
  if (index < kLetters) return std::string(1, static_cast<char>('i' + index));
  return absl::StrCat("z_", index - kLetters + 1);
}

}  // namespace tessera::sharding::factors
