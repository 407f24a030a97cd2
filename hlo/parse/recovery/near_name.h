// What somebody may have meant who wrote a word that is not known.
//
//   DidYouMean("negat", {"negate", "not"});     // ", did you mean 'negate'?"

#ifndef TESSERA_HLO_PARSE_RECOVERY_NEAR_NAME_H_
#define TESSERA_HLO_PARSE_RECOVERY_NEAR_NAME_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tessera::hlo {

// Empty when no name is near: more than a third of the letters would have to change.
std::string DidYouMean(absl::string_view word, absl::Span<const absl::string_view> names);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PARSE_RECOVERY_NEAR_NAME_H_
