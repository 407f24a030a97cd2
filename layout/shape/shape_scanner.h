// The tokens of shape text, read on demand straight from the bytes.
//
//   Scanner in("f32[ 3 /*rows*/, 5]", 0);
//   absl::string_view type;
//   in.ReadIdentifier(&type) && in.Read('[') && in.ReadInt(&rows);
//
// Each Read* first skips blanks and comments, then moves only when the next token is the one that
// was asked for. A token that is no token at all (an integer that overflows or that runs into a
// letter, a lone '-', a comment never closed) matches nothing. Fail* and Expect* keep the first
// mistake and return false, so that a production reads `return in.Expect(')', "E_RPAREN");`.

#ifndef TESSERA_LAYOUT_SHAPE_SHAPE_SCANNER_H_
#define TESSERA_LAYOUT_SHAPE_SHAPE_SCANNER_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tessera::layout {

class Scanner {
 public:
  Scanner(absl::string_view text, size_t offset) : text_(text), at_(offset) {}

  // Offset just behind the last token read.
  size_t offset() const { return at_; }
  void set_offset(size_t offset) { at_ = offset; }

  // Offset of the next token, the length of the text if none is left.
  size_t NextOffset() {
    SkipSpace();
    return at_;
  }
  bool AtEnd() { return NextOffset() == text_.size(); }
  // First byte of the next token, 0 at the end.
  char Peek() {
    SkipSpace();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool Read(char punctuation) {
    if (at_ >= text_.size() || text_[at_] != punctuation) {
      if (Peek() != punctuation || at_ == text_.size()) return false;
    }
    ++at_;
    return true;
  }
  // "<=".
  bool ReadAtMost();
  bool ReadIdentifier(absl::string_view* name);
  bool ReadInt(int64_t* value);
  // True if ReadInt would succeed; reads nothing.
  bool NextIsInt();

  // Keeps a mistake at the next token, or at `offset`; false.
  bool Fail(absl::string_view code, absl::string_view message) {
    return FailAt(NextOffset(), code, message);
  }
  bool FailAt(size_t offset, absl::string_view code, absl::string_view message);
  bool Expect(char punctuation, absl::string_view code);
  bool ExpectInt(int64_t* value);
  // An integer of at least `least`; below it the mistake `code`, at the integer.
  bool ExpectIntFrom(int64_t least, absl::string_view code, absl::string_view message,
                     int64_t* value);
  const absl::Status& error() const { return error_; }

 private:
  void SkipSpace() {
    if (at_ < text_.size() && IsSpaceOrSlash(text_[at_])) SkipSpaceAndComments();
  }
  static bool IsSpaceOrSlash(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '/';
  }
  void SkipSpaceAndComments();

  absl::string_view text_;
  size_t at_;
  absl::Status error_;
};

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_SHAPE_SHAPE_SCANNER_H_
