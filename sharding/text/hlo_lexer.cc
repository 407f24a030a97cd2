#include "tessera/sharding/text/hlo_lexer.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/text/diagnostic.h"

namespace tessera::sharding {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordStart(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool IsWordPart(char c) { return IsWordStart(c) || IsDigit(c) || c == '.' || c == '-'; }

}  // namespace

size_t CommentSize(absl::string_view text) {
  if (text.substr(0, 2) == "//") return std::min(text.find('\n'), text.size());
  if (text.substr(0, 2) != "/*") return 0;
  const size_t close = text.find("*/", 2);
  return close == absl::string_view::npos ? 0 : close + 2;
}

void HloLexer::SkipBlanks() {
  while (at_ < text_.size()) {
    const bool is_blank = absl::ascii_isspace(static_cast<unsigned char>(text_[at_]));
    const size_t size = is_blank ? 1 : CommentSize(text_.substr(at_));
    if (size == 0) return;
    at_ += size;
  }
}

void HloLexer::LexWord(size_t begin) {
  size_t end = begin + 1;
  while (end < text_.size() && IsWordPart(text_[end])) ++end;
  token_text_ = text_.substr(begin, end - begin);
  const bool attribute = end < text_.size() && text_[end] == '=';
  token_ = attribute ? HloToken::kAttribute : HloToken::kWord;
  at_ = end + (attribute ? 1 : 0);
}

void HloLexer::LexInt(size_t begin) {
  size_t end = begin + 1;
  while (end < text_.size() && IsDigit(text_[end])) ++end;
  token_text_ = text_.substr(begin, end - begin);
  token_ = token_text_ == "-" ? HloToken::kBad : HloToken::kInt;
  at_ = end;
}

void HloLexer::LexString(size_t begin) {
  for (size_t end = begin + 1; end < text_.size(); ++end) {
    if (text_[end] == '\\') {
      ++end;
    } else if (text_[end] == text_[begin]) {
      token_ = HloToken::kString;
      token_text_ = text_.substr(begin + 1, end - begin - 1);
      at_ = end + 1;
      return;
    }
  }
  token_ = HloToken::kBad;
  token_text_ = text_.substr(begin);
  at_ = text_.size();
}

void HloLexer::Next() {
  previous_end_ = at_;
  SkipBlanks();
  token_begin_ = at_;
  token_text_ = text_.substr(at_, at_ < text_.size() ? 1 : 0);
  if (at_ >= text_.size()) {
    token_ = HloToken::kEnd;
    return;
  }
  const char c = text_[at_];
  if (IsWordStart(c)) return LexWord(at_);
  if (IsDigit(c) || c == '-') return LexInt(at_);
  if (c == '\'' || c == '"') return LexString(at_);
  const bool arrow = text_.substr(at_, 2) == "<=";
  token_ = arrow ? HloToken::kArrow : HloToken::kPunctuation;
  at_ += arrow ? 2 : 1;
}

bool HloLexer::Consume(char c) {
  if (!Is(c)) return false;
  Next();
  return true;
}

bool HloLexer::Consume(HloToken token) {
  if (token_ != token) return false;
  Next();
  return true;
}

bool HloLexer::ConsumeWord(absl::string_view word) {
  if (!IsWord(word)) return false;
  Next();
  return true;
}

bool HloLexer::ConsumeAttribute(absl::string_view name) {
  if (token_ != HloToken::kAttribute || token_text_ != name) return false;
  Next();
  return true;
}

absl::Status HloLexer::Expect(char c, absl::string_view where) {
  if (Consume(c)) return absl::OkStatus();
  return Error(absl::StrCat("expected '", absl::string_view(&c, 1), "' ", where));
}

absl::StatusOr<int64_t> HloLexer::ExpectInt(absl::string_view what) {
  int64_t value = 0;
  if (token_ != HloToken::kInt || !absl::SimpleAtoi(token_text_, &value)) {
    return Error(absl::StrCat("expected ", what, ", a number of at most 64 bits"));
  }
  Next();
  return value;
}

absl::StatusOr<std::string> HloLexer::ExpectString(absl::string_view what) {
  std::string value;
  if (token_ != HloToken::kString) return Error(absl::StrCat("expected ", what, " in quotes"));
  if (!absl::CUnescape(token_text_, &value)) return Error("unknown escape in a quoted text");
  Next();
  return value;
}

absl::StatusOr<absl::string_view> HloLexer::ExpectBraces() {
  const size_t begin = token_begin_;
  if (!Is('{')) return Error("expected '{'");
  int depth = 0;
  do {
    if (token_ == HloToken::kEnd || token_ == HloToken::kBad) return Error("unbalanced braces");
    if (Is('{')) ++depth;
    if (Is('}')) --depth;
    Next();
  } while (depth > 0);
  return TextSince(begin);
}

absl::Status HloLexer::Error(absl::string_view message) const {
  return text::ErrorAt(token_begin_, message);
}

}  // namespace tessera::sharding
