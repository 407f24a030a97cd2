// The tokens of a sharding text, on a text::Cursor: the part of HLO's lexical rules that shardings
// need.
//
//   ShardingLexer in("{devices=[2]<=[2]}");
//   in.Consume('{');                     // true
//   in.ConsumeAttribute("devices");      // true: `devices=` is one token, no blank before the `=`
//
// Blanks, line ends and comments (`/*..*/`, `//..`) separate tokens.

#ifndef TESSERA_SHARDING_TEXT_SHARDING_LEXER_H_
#define TESSERA_SHARDING_TEXT_SHARDING_LEXER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/text/cursor.h"

namespace tessera::sharding {

enum class ShardingToken : uint8_t {
  kEnd,
  kWord,       // replicated
  kAttribute,  // devices=   (text without the `=`)
  kInt,        // -3
  kString,     // 'a' or "a" (text without the quotes)
  kLessEqual,  // <=
  kPunctuation,
  kBad,
};

class ShardingLexer {
 public:
  explicit ShardingLexer(absl::string_view text) : in_(text, text::Blanks::kSpaceAndComments) {
    Next();
  }

  ShardingToken token() const { return token_; }
  // The word, attribute, string or punctuation character.
  absl::string_view token_text() const { return token_text_; }
  // Where the token begins.
  size_t offset() const { return token_begin_; }
  bool AtEnd() const { return token_ == ShardingToken::kEnd; }
  bool Is(char c) const { return token_ == ShardingToken::kPunctuation && token_text_[0] == c; }
  bool IsWord(absl::string_view word) const {
    return token_ == ShardingToken::kWord && token_text_ == word;
  }

  void Next();
  // A copy of the lexer, one token further.
  ShardingLexer Ahead() const {
    ShardingLexer out = *this;
    out.Next();
    return out;
  }

  bool Consume(char c);
  bool Consume(ShardingToken token);
  bool ConsumeWord(absl::string_view word);
  bool ConsumeAttribute(absl::string_view name);
  // Passes over `tokens`, if that is how the text goes on from this token. They end with a
  // punctuation character, so that nothing after them could belong to the last one.
  bool ConsumeTokens(absl::string_view tokens);

  absl::Status Expect(char c, absl::string_view where);
  absl::StatusOr<int64_t> ExpectInt(absl::string_view what);
  // The contents of a string token, escapes resolved.
  absl::StatusOr<std::string> ExpectString(absl::string_view what);

  // The text from `begin` to the end of the token before this one.
  absl::string_view TextSince(size_t begin) const {
    return in_.text().substr(begin, previous_end_ - begin);
  }
  // The number of bytes after this token.
  size_t rest_size() const { return in_.rest().size(); }
  // InvalidArgument at the token.
  absl::Status Error(absl::string_view message) const;

 private:
  void LexWord();
  void LexInt();
  void LexString(char quote);
  void LexBad();

  text::Cursor in_;  // after the token
  size_t token_begin_ = 0;
  size_t previous_end_ = 0;
  ShardingToken token_ = ShardingToken::kEnd;
  absl::string_view token_text_;
  int64_t int_ = 0;
};

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_TEXT_SHARDING_LEXER_H_
