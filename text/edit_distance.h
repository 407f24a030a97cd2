// How far two words are from each other.
//
//   EditDistance("negat", "negate");     // 1

#ifndef TESSERA_TEXT_EDIT_DISTANCE_H_
#define TESSERA_TEXT_EDIT_DISTANCE_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace tessera::text {

// How many letters must be put in, left out or changed to make one word of the other. A word of n
// letters beside one of m costs n * m steps.
size_t EditDistance(absl::string_view a, absl::string_view b);

}  // namespace tessera::text

#endif  // TESSERA_TEXT_EDIT_DISTANCE_H_
