#include "tessera/sharding/text/hlo_lexer.h"

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/text/diagnostic.h"

namespace tessera::sharding {

void HloLexer::LexWord() {
  in_.ConsumeIdentifier(token_text_);
  const bool is_attribute = absl::StartsWith(in_.rest(), "=");
  token_ = is_attribute ? HloToken::kAttribute : HloToken::kWord;
  if (is_attribute) in_.set_offset(in_.offset() + 1);
}

void HloLexer::LexInt() {
  if (!in_.ConsumeInt(int_)) return LexBad();
  token_ = HloToken::kInt;
  token_text_ = in_.text().substr(token_begin_, in_.offset() - token_begin_);
}

void HloLexer::LexString(char quote) {
  if (!in_.ConsumeQuoted(token_text_, quote)) return LexBad();
  token_ = HloToken::kString;
}

// Nothing behind it is a token.
void HloLexer::LexBad() {
  token_ = HloToken::kBad;
  token_text_ = in_.rest();
  in_.set_offset(in_.text().size());
}

void HloLexer::Next() {
  previous_end_ = in_.offset();
  token_begin_ = in_.NextOffset();
  token_text_ = in_.rest().substr(0, 1);
  token_ = HloToken::kEnd;
  if (token_text_.empty()) return;
  const char c = token_text_[0];
  if (absl::ascii_isalpha(c) || c == '_') return LexWord();
  if (absl::ascii_isdigit(c) || c == '-') return LexInt();
  if (c == '\'' || c == '"') return LexString(c);
  const bool is_arrow = c == '<' && in_.Consume("<=");
  token_ = is_arrow ? HloToken::kArrow : HloToken::kPunctuation;
  if (!is_arrow) in_.set_offset(token_begin_ + 1);
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

bool HloLexer::ConsumeTokens(absl::string_view tokens) {
  if (!absl::StartsWith(in_.text().substr(token_begin_), tokens)) return false;
  in_.set_offset(token_begin_ + tokens.size());
  Next();
  return true;
}

absl::Status HloLexer::Expect(char c, absl::string_view where) {
  if (Consume(c)) return absl::OkStatus();
  return Error(absl::StrCat("expected '", absl::string_view(&c, 1), "' ", where));
}

absl::StatusOr<int64_t> HloLexer::ExpectInt(absl::string_view what) {
  if (token_ != HloToken::kInt) {
    return Error(absl::StrCat("expected ", what, ", a number of at most 64 bits"));
  }
  const int64_t value = int_;
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
