// Pieces of a dump's text: brackets, lists, attributes, shapes.
//
//   SplitTopLevel("f32[2,4] %a, %b");       // {"f32[2,4] %a", "%b"}
//   TupleLeaves("(f32[],(f32[2]))");        // {0}, {1, 0}

#ifndef TESSERA_TESTING_PAIRS_DUMP_TEXT_H_
#define TESSERA_TESTING_PAIRS_DUMP_TEXT_H_

#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace tessera::testing::pairs {

// Index after the bracket group or the string that opens at `start`; npos if it never closes.
size_t ClosingIndex(absl::string_view text, size_t start);

// The parts of `text` between separators that stand outside of brackets and strings, stripped.
std::vector<absl::string_view> SplitTopLevel(absl::string_view text, char separator = ',');

using Attributes = std::vector<std::pair<absl::string_view, absl::string_view>>;

// The value of `key`; empty if it is missing.
absl::string_view Find(const Attributes& attributes, absl::string_view key);

// Those among `parts` from index `first` on: KEY=VALUE, or KEY with an empty value.
Attributes ParseAttributes(const std::vector<absl::string_view>& parts, size_t first);

// Index after the shape at the beginning of `text`.
size_t EndOfShape(absl::string_view text);

// Paths of the leaves of a shape text: {{}} for an array, {{0}, {1, 0}} for (f32[], (f32[2])).
using Path = std::vector<int>;
std::vector<Path> TupleLeaves(absl::string_view shape);
// Leaf `path` of the shape is a token.
bool IsToken(absl::string_view shape, const Path& path);

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_DUMP_TEXT_H_
