// The tokens of sdy text, on a text::Cursor.

#ifndef TESSERA_SHARDING_TEXT_SDY_SDY_LEXER_H_
#define TESSERA_SHARDING_TEXT_SDY_SDY_LEXER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/text/cursor.h"

namespace tessera::sharding {

// The word [A-Za-z_][A-Za-z0-9_$.]* at the cursor; empty (and no move) if there is none.
absl::string_view ConsumeWord(text::Cursor& in);
// Exactly that word.
bool ConsumeWord(text::Cursor& in, absl::string_view word);

// InvalidArgument "expected 'c' `where`" unless the next token is `c`.
absl::Status ExpectChar(text::Cursor& in, char c, absl::string_view where);
absl::StatusOr<int64_t> ParseInt(text::Cursor& in, absl::string_view what);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_TEXT_SDY_SDY_LEXER_H_
