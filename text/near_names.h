// Known names that are spelled nearly like an unknown word.
//
//   NearNames("dot.1", {"dot.17", "add.2", "dot.7"});    // {"dot.17", "dot.7"}: nearest first
//   NearestNames("dot.1", {"dot.17", "add.2"});          // "; the nearest name is dot.17"
//   DidYouMean("negat", {"negate", "not"});              // ", did you mean 'negate'?"
//
// A name of which the word is a part is the nearest. Words of more than 256 letters are near to
// nothing. Cost: EditDistance() for each name of about the same length.

#ifndef TESSERA_TEXT_NEAR_NAMES_H_
#define TESSERA_TEXT_NEAR_NAMES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tessera::text {

// Three at most, each once; of none must more than half of the letters change.
std::vector<std::string> NearNames(absl::string_view word,
                                   absl::Span<const absl::string_view> names);

// The names of NearNames() as the end of an error; empty where there are none.
std::string NearestNames(absl::string_view word, absl::Span<const absl::string_view> names);

// Empty when more than a third of the letters, rounded up, would have to change.
std::string DidYouMean(absl::string_view word, absl::Span<const absl::string_view> names);

}  // namespace tessera::text

#endif  // TESSERA_TEXT_NEAR_NAMES_H_
