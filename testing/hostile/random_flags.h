// The flags that random command lines choose from, with values that mean something, and some that do
// not.

#ifndef TESSERA_TESTING_HOSTILE_RANDOM_FLAGS_H_
#define TESSERA_TESTING_HOSTILE_RANDOM_FLAGS_H_

#include "absl/types/span.h"

namespace tessera::testing::hostile {

struct FlagChoice {
  const char* verb;  // "" for every verb that propagates; "layout FILE" where its text is a file
  const char* flag;  // with its dashes
  // With semicolons between; "" for a switch. OUTPUT, OTHER and GOLDEN stand for files.
  const char* values;
};

absl::Span<const FlagChoice> FlagChoices();

// Presets for --target, one of which does not exist.
extern const char kTopologies[];

}  // namespace tessera::testing::hostile

#endif  // TESSERA_TESTING_HOSTILE_RANDOM_FLAGS_H_
