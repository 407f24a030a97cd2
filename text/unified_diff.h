// Two texts as a unified diff, the form that `patch` and `git apply` read.
//
//   UnifiedDiff("f.txt", "a\nb\n", "a\nc\nd\n");
//   // --- f.txt
//   // +++ f.txt
//   // @@ -1,2 +1,3 @@
//   //  a
//   // -b
//   // +c
//   // +d
//
// For edits that change lines and add a few. Line k of one text is laid beside the next one of the other.
// Where they differ, a line of the first is looked for among the next 16 of the second. Any two texts
// give a diff that applies. It is as short as it can be if no line was taken out. Cost: the lines, each
// changed one 16 times. Tested by unified_diff_test.cc.

#ifndef TESSERA_TEXT_UNIFIED_DIFF_H_
#define TESSERA_TEXT_UNIFIED_DIFF_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tessera::text {

// Empty for equal texts. `name` is that of the file, on both sides.
std::string UnifiedDiff(absl::string_view name, absl::string_view before, absl::string_view after);

}  // namespace tessera::text

#endif  // TESSERA_TEXT_UNIFIED_DIFF_H_
