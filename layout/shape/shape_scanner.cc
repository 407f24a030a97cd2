#include "tessera/layout/shape/shape_scanner.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "tessera/layout/error.h"

namespace tessera::layout {

bool Scanner::ReadInt(int64_t* value) {
  const size_t start = offset();
  if (!ConsumeInt(*value)) return false;
  const char after = offset() < text().size() ? text()[offset()] : '\0';
  if (!absl::ascii_isalpha(after) && after != '_' && after != '.') return true;
  set_offset(start);
  return false;
}

bool Scanner::NextIsInt() {
  const size_t start = offset();
  int64_t ignored = 0;
  const bool is_int = ReadInt(&ignored);
  set_offset(start);
  return is_int;
}

bool Scanner::FailAt(size_t offset, absl::string_view code, absl::string_view message) {
  error_ = MakeErrorAt(offset, code, message);
  return false;
}

bool Scanner::Expect(char punctuation, absl::string_view code) {
  if (Consume(punctuation)) return true;
  return Fail(code, absl::StrCat("expected \"", absl::string_view(&punctuation, 1), "\""));
}

bool Scanner::ExpectInt(int64_t* value) {
  return ReadInt(value) || Fail("E_INT", "expected an integer");
}

bool Scanner::ExpectIntFrom(int64_t least, absl::string_view code, absl::string_view message,
                            int64_t* value) {
  const size_t offset = NextOffset();
  if (!ExpectInt(value)) return false;
  return *value >= least || FailAt(offset, code, message);
}

}  // namespace tessera::layout
