#include "tessera/layout/shape/shape_scanner.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "tessera/layout/error.h"
#include "tessera/text/checked.h"

namespace tessera::layout {
namespace {

bool StartsIdentifier(char c) { return absl::ascii_isalpha(c) || c == '_'; }
bool ContinuesIdentifier(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-';
}

// Where a comment that begins at `at` ends; `at` itself if none begins there or it never ends.
size_t EndOfComment(absl::string_view text, size_t at) {
  const absl::string_view rest = text.substr(at);
  if (rest.substr(0, 2) == "//") return std::min(text.find('\n', at), text.size());
  if (rest.substr(0, 2) != "/*") return at;
  const size_t close = text.find("*/", at + 2);
  return close == absl::string_view::npos ? at : close + 2;
}

// Reads decimal digits from `at` on and stops behind them. False on overflow or without a digit.
bool ReadDigits(absl::string_view text, bool negative, size_t* at, int64_t* value) {
  const size_t first = *at;
  int64_t result = 0;
  for (; *at < text.size() && absl::ascii_isdigit(text[*at]); ++*at) {
    const int digit = negative ? '0' - text[*at] : text[*at] - '0';
    if (!AppendDigit(digit, &result)) return false;
  }
  *value = result;
  return *at > first;
}

}  // namespace

void Scanner::SkipSpaceAndComments() {
  while (at_ < text_.size()) {
    const size_t next = text_[at_] == '/'            ? EndOfComment(text_, at_)
                        : IsSpaceOrSlash(text_[at_]) ? at_ + 1
                                                     : at_;
    if (next == at_) return;
    at_ = next;
  }
}

bool Scanner::ReadAtMost() {
  SkipSpace();
  if (text_.substr(at_, 2) != "<=") return false;
  at_ += 2;
  return true;
}

bool Scanner::ReadIdentifier(absl::string_view* name) {
  if (!StartsIdentifier(Peek())) return false;
  size_t end = at_ + 1;
  while (end < text_.size() && ContinuesIdentifier(text_[end])) ++end;
  *name = text_.substr(at_, end - at_);
  at_ = end;
  return true;
}

bool Scanner::ReadInt(int64_t* value) {
  SkipSpace();
  size_t at = at_;
  const bool negative = at < text_.size() && text_[at] == '-';
  if (negative) ++at;
  if (!ReadDigits(text_, negative, &at, value)) return false;
  const char behind = at < text_.size() ? text_[at] : '\0';
  if (StartsIdentifier(behind) || behind == '.') return false;
  at_ = at;
  return true;
}

bool Scanner::NextIsInt() {
  const size_t start = at_;
  int64_t ignored = 0;
  const bool is_int = ReadInt(&ignored);
  at_ = start;
  return is_int;
}

bool Scanner::FailAt(size_t offset, absl::string_view code, absl::string_view message) {
  error_ = MakeErrorAt(offset, code, message);
  return false;
}

bool Scanner::Expect(char punctuation, absl::string_view code) {
  if (Read(punctuation)) return true;
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
