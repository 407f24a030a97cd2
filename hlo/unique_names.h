// Names made unique the way XLA does it.
//
//   UniqueNames names;
//   names.Unique("p");      // "p"
//   names.Unique("p");      // "p.1"
//   names.Unique("x.01");   // "x.1": a numbered name is taken apart
//
// Each root of a name has a set of numbers that are taken and a counter; amortised constant time.

#ifndef TESSERA_HLO_UNIQUE_NAMES_H_
#define TESSERA_HLO_UNIQUE_NAMES_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

namespace tessera::hlo {

class UniqueNames {
 public:
  // The name itself if it is free, else one that is; it is taken then.
  std::string Unique(absl::string_view name);

 private:
  struct Taken {
    absl::flat_hash_set<int64_t> ids;
    int64_t next = 0;
  };
  absl::flat_hash_map<std::string, Taken> roots_;
};

// A name with every character that XLA does not allow replaced: "1a b" gives "_a_b", "f32" gives
// "f32_", "__x" gives "a_x".
std::string SanitizeName(absl::string_view name);
bool IsSaneName(absl::string_view name);  // SanitizeName would leave it as it is

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_UNIQUE_NAMES_H_
