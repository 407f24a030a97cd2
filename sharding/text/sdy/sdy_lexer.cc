#include "tessera/sharding/text/sdy/sdy_lexer.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace tessera::sharding {

using text::Cursor;

absl::string_view ConsumeWord(Cursor& in) {
  const char first = in.Peek();
  if (!absl::ascii_isalpha(static_cast<unsigned char>(first)) && first != '_') return {};
  const absl::string_view rest = in.rest();
  size_t size = 1;
  while (size < rest.size() && (absl::ascii_isalnum(static_cast<unsigned char>(rest[size])) ||
                                rest[size] == '_' || rest[size] == '$' || rest[size] == '.')) {
    ++size;
  }
  in.set_offset(in.offset() + size);
  return rest.substr(0, size);
}

bool ConsumeWord(Cursor& in, absl::string_view word) {
  const size_t before = in.offset();
  if (ConsumeWord(in) == word) return true;
  in.set_offset(before);
  return false;
}

absl::Status ExpectChar(Cursor& in, char c, absl::string_view where) {
  if (in.Consume(c)) return absl::OkStatus();
  return in.Error(absl::StrCat("expected '", absl::string_view(&c, 1), "' ", where));
}

absl::StatusOr<int64_t> ParseInt(Cursor& in, absl::string_view what) {
  int64_t value = 0;
  if (in.ConsumeInt(value)) return value;
  return in.Error(absl::StrCat("expected ", what, ", a number of at most 64 bits"));
}

}  // namespace tessera::sharding
