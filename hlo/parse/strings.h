// Strings of HLO text: where they end, what they mean, how they are printed.
//
//   UnquoteString("\"a\\n\"");        // a and a line feed
//   CEscape("caf\xc3\xa9");           // "caf\\303\\251"
//   LexesAsJson(" {\"a\":1}");        // true

#ifndef TESSERA_HLO_PARSE_STRINGS_H_
#define TESSERA_HLO_PARSE_STRINGS_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace tessera::hlo {

// After the closing quote of the string that begins at `p`; null if it has none before `end` or if
// a backslash stands before a line feed. A quote is whatever stands at `p`.
const char* StringEnd(const char* p, const char* end);

// The body of a string token (with its quotes) with C escapes decoded; nullopt when the token is no
// string or has an escape that C does not know.
std::optional<std::string> UnquoteString(absl::string_view token);

// C escapes as XLA prints them: \n \r \t \" \' \\ and three octal digits; without quotes around it.
std::string CEscape(absl::string_view bytes);

// True if the text, but for blanks and comments around it, is one balanced `{...}`: XLA prints such
// a value without quotes.
bool LexesAsJson(absl::string_view text);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PARSE_STRINGS_H_
