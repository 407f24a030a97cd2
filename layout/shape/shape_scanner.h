// A text::Cursor on shape text that keeps the first mistake.
//
//   Scanner in("f32[ 3 /*rows*/, 5]", 0);
//   absl::string_view type;
//   in.ConsumeIdentifier(type) && in.Consume('[') && in.ReadInt(&rows);
//
// Fail* and Expect* keep a mistake and return false, so that a production reads
// `return in.Expect(')', "E_RPAREN");`.

#ifndef TESSERA_LAYOUT_SHAPE_SHAPE_SCANNER_H_
#define TESSERA_LAYOUT_SHAPE_SHAPE_SCANNER_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tessera/text/cursor.h"

namespace tessera::layout {

class Scanner : public text::Cursor {
 public:
  Scanner(absl::string_view text, size_t offset) : Cursor(text, text::Blanks::kSpaceAndComments) {
    set_offset(offset);
  }

  // An integer that does not run into a letter or a dot.
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
  absl::Status error_;
};

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_SHAPE_SHAPE_SCANNER_H_
