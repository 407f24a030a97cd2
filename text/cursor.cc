#include "tessera/text/cursor.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "tessera/text/checked.h"
#include "tessera/text/diagnostic.h"

namespace tessera::text {
namespace {

bool IsIdentifierStart(char c) { return absl::ascii_isalpha(c) || c == '_'; }

struct IdentifierParts {
  bool are[256] = {};
  constexpr IdentifierParts() {
    for (int c = '0'; c <= '9'; ++c) are[c] = true;
    for (int c = 'a'; c <= 'z'; ++c) are[c] = are[c - 'a' + 'A'] = true;
    are[static_cast<int>('_')] = are[static_cast<int>('.')] = are[static_cast<int>('-')] = true;
  }
};
constexpr IdentifierParts kIdentifierParts;

bool IsIdentifierPart(char c) { return kIdentifierParts.are[static_cast<unsigned char>(c)]; }

}  // namespace

size_t CommentSize(absl::string_view text) {
  if (text.substr(0, 2) == "//") return std::min(text.find('\n'), text.size());
  if (text.substr(0, 2) != "/*") return 0;
  const size_t close = text.find("*/", 2);
  return close == absl::string_view::npos ? 0 : close + 2;
}

bool Cursor::SkipComment() {
  const size_t size = blanks_ == Blanks::kSpaceAndComments ? CommentSize(rest()) : 0;
  at_ += size;
  return size > 0;
}

bool Cursor::ConsumeInt(int64_t& value) {
  SkipBlanks();
  size_t at = at_;
  const bool negative = at < text_.size() && text_[at] == '-';
  if (negative) ++at;
  const size_t digits = at;
  int64_t result = 0;
  for (; at < text_.size() && absl::ascii_isdigit(text_[at]); ++at) {
    const int digit = negative ? '0' - text_[at] : text_[at] - '0';
    if (!AppendDigit(digit, &result)) return false;
  }
  if (at == digits) return false;
  value = result;
  at_ = at;
  return true;
}

bool Cursor::ConsumeIdentifier(absl::string_view& name) {
  if (!IsIdentifierStart(Peek())) return false;
  size_t end = at_ + 1;
  while (end < text_.size() && IsIdentifierPart(text_[end])) ++end;
  name = text_.substr(at_, end - at_);
  at_ = end;
  return true;
}

bool Cursor::ConsumeQuoted(absl::string_view& body, char quote) {
  if (Peek() != quote) return false;
  for (size_t end = at_ + 1; end < text_.size(); ++end) {
    if (text_[end] == '\\') {
      ++end;
    } else if (text_[end] == quote) {
      body = text_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
      return true;
    }
  }
  return false;
}

absl::Status Cursor::Error(absl::string_view message) {
  SkipBlanks();
  return ErrorAt(at_, message);
}

absl::Status Cursor::ErrorAt(size_t offset, absl::string_view message) const {
  return text::ErrorAt(offset, message);
}

}  // namespace tessera::text
