// Lines of a module in a form in which two texts of it can be compared: without shardings and
// xla.sdy entries, and with names replaced.
//
//   CommonForm("  n = f32[8] negate(s.reshard)", {{"s.reshard", "s"}});   // "  n = f32[8]
//   negate(s)"

#ifndef TESSERA_TESTING_KEEP_EDITS_COMMON_FORM_H_
#define TESSERA_TESTING_KEEP_EDITS_COMMON_FORM_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace tessera::testing {

// The first name in `text`, without its '%'.
absl::string_view FirstName(absl::string_view text);
// `  ROOT %x = f32[8] copy(%y)` defines x; other lines define nothing.
absl::string_view DefinedName(absl::string_view line);

// A custom call that speaks to the pass.
bool IsMark(absl::string_view line);

// The text without `, sharding=..`, which may stand on a line of its own.
std::string WithoutShardings(absl::string_view text);

// New names, by old ones; a new name may have a new name in turn.
using Renames = absl::flat_hash_map<std::string, std::string>;

std::string CommonForm(absl::string_view line, const Renames& renames);

// Until `from` is no more in the text.
void ReplaceAll(absl::string_view from, absl::string_view to, std::string* text);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_KEEP_EDITS_COMMON_FORM_H_
