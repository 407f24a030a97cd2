// A place in a small text that is being parsed by hand: layouts, shardings, rules, index maps.
//
//   text::Cursor in("[4, 2]");
//   int64_t rows = 0;
//   if (!in.Consume('[') || !in.ConsumeInt(rows)) return in.Error("expected '[' and a number");
//
// Nothing is copied. Every Consume* skips blanks first, in texts of HLO comments too, and moves only
// when it succeeds. Errors carry the offset of the cursor (after blanks), see text/diagnostic.h.
//
// The lexer of every text but HLO modules, which are read at another speed (hlo/parse/scanner.h).
// The parts of one grammar stand on it: layout/shape/shape_scanner.h,
// sharding/text/sharding_lexer.h, sharding/text/sdy/sdy_lexer.h.

#ifndef TESSERA_TEXT_CURSOR_H_
#define TESSERA_TEXT_CURSOR_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tessera::text {

// Bytes of the comment that a text begins with, the end of its line not counted; 0 if there is none,
// or one that never ends.
size_t CommentSize(absl::string_view text);

enum class Blanks : uint8_t { kSpace, kSpaceAndComments };

class Cursor {
 public:
  explicit Cursor(absl::string_view text, Blanks blanks = Blanks::kSpace)
      : text_(text), blanks_(blanks) {}

  size_t offset() const { return at_; }
  void set_offset(size_t offset) { at_ = offset; }
  absl::string_view text() const { return text_; }
  absl::string_view rest() const { return text_.substr(at_); }

  // The next byte that is no blank, 0 at the end.
  char Peek() {
    SkipBlanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool AtEnd() { return Peek() == '\0' && at_ >= text_.size(); }
  // Where the next token begins; the length of the text if none is left.
  size_t NextOffset() {
    SkipBlanks();
    return at_;
  }
  void SkipBlanks() {
    while (at_ < text_.size() && (IsBlank(text_[at_]) || text_[at_] == '/')) {
      if (text_[at_] != '/') {
        ++at_;
      } else if (!SkipComment()) {
        return;
      }
    }
  }

  bool Consume(char c) {
    if ((at_ >= text_.size() || text_[at_] != c) && (Peek() != c || at_ >= text_.size())) {
      return false;
    }
    ++at_;
    return true;
  }
  bool Consume(absl::string_view token) {
    SkipBlanks();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  // A decimal number, with '-' in front if negative. False (and no move) without digits or on
  // overflow of int64.
  bool ConsumeInt(int64_t& value);
  // [A-Za-z_][A-Za-z0-9_.-]*
  bool ConsumeIdentifier(absl::string_view& name);
  // "..." with \-escapes left as they are; `body` is what stands between the quotes.
  bool ConsumeQuoted(absl::string_view& body, char quote = '"');

  // InvalidArgument at the next byte that is no blank, or at `offset`.
  absl::Status Error(absl::string_view message);
  absl::Status ErrorAt(size_t offset, absl::string_view message) const;

 private:
  static bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  bool SkipComment();

  absl::string_view text_;
  size_t at_ = 0;
  Blanks blanks_;
};

}  // namespace tessera::text

#endif  // TESSERA_TEXT_CURSOR_H_
