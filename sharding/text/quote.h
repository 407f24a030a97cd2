// Quoted names as in sdy text: `"data"`, with `\22` for a quote inside.

#ifndef TESSERA_SHARDING_TEXT_QUOTE_H_
#define TESSERA_SHARDING_TEXT_QUOTE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera::sharding {

// Quotes around `name`; a backslash is doubled, other bytes that are no printable ASCII and quotes
// become `\` and two upper-case hex digits.
std::string QuoteName(absl::string_view name);

// The text between the quotes, with its escapes (`\"`, `\\`, `\n`, `\t`, `\` and two hex digits)
// resolved. InvalidArgument for any other escape.
absl::StatusOr<std::string> UnquoteName(absl::string_view body);

// `mesh`, or `"my mesh"` where a symbol is no bare word ([A-Za-z_][A-Za-z0-9_$.]*).
std::string QuoteSymbol(absl::string_view name);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_TEXT_QUOTE_H_
