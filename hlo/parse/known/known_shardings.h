// The shardings of a module by their text. Few different ones stand in a module: the parser reads
// each once and leaves them with the module (Module::known_shardings), so that nobody after it has
// to read them again.
//
//   KnownShardings known;
//   const HloSharding* sharding = known.Find("{replicated}");                // null
//   sharding = known.Add("{replicated}", *ParseHloSharding("{replicated}"));
//
// Texts have to stay as they are; shardings stay where they are.

#ifndef TESSERA_HLO_PARSE_KNOWN_KNOWN_SHARDINGS_H_
#define TESSERA_HLO_PARSE_KNOWN_KNOWN_SHARDINGS_H_

#include <deque>
#include <utility>

#include "absl/strings/string_view.h"
#include "tessera/hlo/values/hash.h"
#include "tessera/hlo/values/text_numbers.h"
#include "tessera/sharding/hlo_sharding.h"

namespace tessera::hlo {

class KnownShardings {
 public:
  // Null for a text that was not added.
  const sharding::HloSharding* Find(absl::string_view text) const {
    const uint32_t number = numbers_.Find(text, HashText(text));
    return number == TextNumbers::kNone ? nullptr : &shardings_[number];
  }
  const sharding::HloSharding* Add(absl::string_view text, sharding::HloSharding sharding) {
    numbers_.Add(text, HashText(text));
    return &shardings_.emplace_back(std::move(sharding));
  }

 private:
  TextNumbers numbers_;
  std::deque<sharding::HloSharding> shardings_;  // by number
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PARSE_KNOWN_KNOWN_SHARDINGS_H_
