// A line of a module without shardings and their attributes.

#ifndef TESSERA_TESTING_PAIRS_IN_PLACE_LINE_TEXT_H_
#define TESSERA_TESTING_PAIRS_IN_PLACE_LINE_TEXT_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/testing/pairs/dump.h"

namespace tessera::testing::pairs {

struct BareLine {
  std::string line;                    // without `sharding=` and `xla.sdy.*` attributes
  std::vector<std::string> leftovers;  // the `xla.sdy.*` attributes that were there
};
// `dropped` names one more frontend attribute to leave out; empty for none.
BareLine StripShardings(absl::string_view line, absl::string_view dropped = {});

// The module line as it has to be after the pass.
std::string ExpectedModuleLine(absl::string_view line);

// Replaces the name after every `%` outside of strings.
std::string RenameAll(absl::string_view text,
                      const std::function<std::string(absl::string_view)>& rename);

// The shape as written in the line, blanks included.
absl::string_view WrittenShape(const Instruction& instruction);

// The line of the copy that the Sharding call `instruction` has to become.
std::string ConstraintCopyLine(const Instruction& instruction);

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_IN_PLACE_LINE_TEXT_H_
