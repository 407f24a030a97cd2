#include "tessera/sharding/text/sharding_lexer.h"

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/text/diagnostic.h"

namespace tessera::sharding {

void ShardingLexer::LexWord() {
  in_.ConsumeIdentifier(token_text_);
  const bool is_attribute = absl::StartsWith(in_.rest(), "=");
  token_ = is_attribute ? ShardingToken::kAttribute : ShardingToken::kWord;
  if (is_attribute) in_.set_offset(in_.offset() + 1);
}

void ShardingLexer::LexInt() {
  if (!in_.ConsumeInt(int_)) return LexBad();
  token_ = ShardingToken::kInt;
  token_text_ = in_.text().substr(token_begin_, in_.offset() - token_begin_);
}

void ShardingLexer::LexString(char quote) {
  if (!in_.ConsumeQuoted(token_text_, quote)) return LexBad();
  token_ = ShardingToken::kString;
}

// The rest of the text becomes one bad token.
void ShardingLexer::LexBad() {
  token_ = ShardingToken::kBad;
  token_text_ = in_.rest();
  in_.set_offset(in_.text().size());
}

void ShardingLexer::Next() {
  previous_end_ = in_.offset();
  token_begin_ = in_.NextOffset();
  token_text_ = in_.rest().substr(0, 1);
  token_ = ShardingToken::kEnd;
  if (token_text_.empty()) return;
  const char c = token_text_[0];
  if (absl::ascii_isalpha(c) || c == '_') return LexWord();
  if (absl::ascii_isdigit(c) || c == '-') return LexInt();
  if (c == '\'' || c == '"') return LexString(c);
  const bool is_less_equal = c == '<' && in_.Consume("<=");
  token_ = is_less_equal ? ShardingToken::kLessEqual : ShardingToken::kPunctuation;
  if (!is_less_equal) in_.set_offset(token_begin_ + 1);
}

bool ShardingLexer::Consume(char c) {
  if (!Is(c)) return false;
  Next();
  return true;
}

bool ShardingLexer::Consume(ShardingToken token) {
  if (token_ != token) return false;
  Next();
  return true;
}

bool ShardingLexer::ConsumeWord(absl::string_view word) {
  if (!IsWord(word)) return false;
  Next();
  return true;
}

bool ShardingLexer::ConsumeAttribute(absl::string_view name) {
  if (token_ != ShardingToken::kAttribute || token_text_ != name) return false;
  Next();
  return true;
}

bool ShardingLexer::ConsumeTokens(absl::string_view tokens) {
  if (!absl::StartsWith(in_.text().substr(token_begin_), tokens)) return false;
  in_.set_offset(token_begin_ + tokens.size());
  Next();
  return true;
}

absl::Status ShardingLexer::Expect(char c, absl::string_view where) {
  if (Consume(c)) return absl::OkStatus();
  return Error(absl::StrCat("expected '", absl::string_view(&c, 1), "' ", where));
}

absl::StatusOr<int64_t> ShardingLexer::ExpectInt(absl::string_view what) {
  if (token_ != ShardingToken::kInt) {
    return Error(absl::StrCat("expected ", what, ", a number of at most 64 bits"));
  }
  const int64_t value = int_;
  Next();
  return value;
}

absl::StatusOr<std::string> ShardingLexer::ExpectString(absl::string_view what) {
  std::string value;
  if (token_ != ShardingToken::kString) return Error(absl::StrCat("expected ", what, " in quotes"));
  if (!absl::CUnescape(token_text_, &value)) return Error("unknown escape in a quoted text");
  Next();
  return value;
}

absl::Status ShardingLexer::Error(absl::string_view message) const {
  return text::ErrorAt(token_begin_, message);
}

}  // namespace tessera::sharding
