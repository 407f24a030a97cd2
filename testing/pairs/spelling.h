// Shardings that mean the same under different spellings.
//
//   Spellings spellings;
//   spellings.Same("{devices=[2,4]<=[4,2]T(1,0)}", "{devices=[2,4]0,2,4,6,1,3,5,7}");  // true

#ifndef TESSERA_TESTING_PAIRS_SPELLING_H_
#define TESSERA_TESTING_PAIRS_SPELLING_H_

#include <string>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "absl/strings/string_view.h"

namespace tessera::testing::pairs {

// Remembers what it has spelled out: modules repeat few shardings often.
class Spellings {
 public:
  // One text for all spellings: device lists written out. No sharding (empty) stays empty.
  const std::string& Canonical(absl::string_view sharding);

  bool Same(absl::string_view a, absl::string_view b) {
    return a == b || Canonical(a) == Canonical(b);
  }

 private:
  std::string Spell(absl::string_view sharding);

  absl::node_hash_map<std::string, std::string> known_;  // Same() holds two of its values
};

// Is it `{{..}, ..}` or `{}`?
bool IsTupleSharding(absl::string_view sharding);

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_SPELLING_H_
