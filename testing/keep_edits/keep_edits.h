// Says whether one HLO text came from another by the edits that the structure `keep` may do, and no
// others. It looks at lines of text and knows nothing of the parser or of the writer, so that a
// fault of theirs cannot hide itself.
//
//   std::vector<std::string> wrong = FindForeignEdits(before, after);     // empty: all is well
//
// Allowed are: `sharding=` anywhere; xla.sdy.* entries that go; the marks (custom calls that speak
// to the pass) that go or become something else under their name; new instructions, and operands
// that name them; a module line where there was none. Every other byte, blank line and comment must
// be there, in order.
//
// Cost: linear in the text.

#ifndef TESSERA_TESTING_KEEP_EDITS_KEEP_EDITS_H_
#define TESSERA_TESTING_KEEP_EDITS_KEEP_EDITS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tessera::testing {

// Up to ten places, each with the line that was expected and the one that is there.
std::vector<std::string> FindForeignEdits(absl::string_view before, absl::string_view after);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_KEEP_EDITS_KEEP_EDITS_H_
