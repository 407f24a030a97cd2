// Puts comments at random token borders of an HLO text.
//
//   std::mt19937 random(7);
//   Commented c = MixComments(text, 0.05, &random);
//   c.text;       // "n = f32[8] /*3, */ negate(x // 4 "{\n ), metadata={..}"
//   c.staying;    // {"/*3, */", "// 4 \"{"}: those outside of what `tessera shard` may replace
//
// Each comment has a number of its own, and commas, quotes or braces. Free for replacement are
// sharding= and frontend_attributes= with the comma in front, and lines of marks. The text must
// have one instruction a line, as XLA prints it. Values that are no token lists stay whole:
// strings, frontend_attributes, backend_config, and the tables of stack frames.

#ifndef TESSERA_TESTING_KEEP_EDITS_COMMENT_MIXER_H_
#define TESSERA_TESTING_KEEP_EDITS_COMMENT_MIXER_H_

#include <random>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tessera::testing {

struct Commented {
  std::string text;
  std::vector<std::string> staying;
};

Commented MixComments(absl::string_view text, double share, std::mt19937* random);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_KEEP_EDITS_COMMENT_MIXER_H_
