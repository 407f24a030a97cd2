// A scanner that keeps the first mistake.
//
//   bool ReadPair(Reader& in, int64_t* a, int64_t* b) {
//     return in.Expect('(') && in.ExpectInt(a) && in.Expect(',') && in.ExpectInt(b) &&
//            in.Expect(')');
//   }
//
// Productions return false once something is wrong; the mistake waits in error().

#ifndef TESSERA_HLO_PARSE_READER_H_
#define TESSERA_HLO_PARSE_READER_H_

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/parse/scanner.h"

namespace tessera::hlo {

class Reader : public Scanner {
 public:
  using Scanner::Scanner;

  // Stands for "the name of the attribute whose value this is".
  static constexpr uint32_t kAtAttributeName = 0xffffffffu;

  struct Error {
    uint32_t offset = 0;
    std::string message;
  };

  bool Fail(absl::string_view message) { return FailAt(offset(), message); }
  bool FailAt(uint32_t offset, absl::string_view message) {
    if (!failed_) {
      failed_ = true;
      error_ = {offset, std::string(message)};
    }
    return false;
  }
  bool FailAt(const char* at, absl::string_view message) { return FailAt(OffsetOf(at), message); }
  // Right after what was read last: where the reference, which has read on, names the next token.
  bool FailAfter(absl::string_view message) { return FailAt(last_end_offset(), message); }
  bool FailAtName(absl::string_view message) { return FailAt(kAtAttributeName, message); }

  bool Expect(char punctuation, absl::string_view where = "") {
    return Eat(punctuation) || FailToFind(punctuation, where);
  }
  bool ExpectInt(int64_t* value) { return ReadInt(value) || Fail("expected an integer"); }
  bool ExpectString(absl::string_view* token) {
    if (ReadString(token)) return true;
    const bool begins = Peek() == '"' || Peek() == '\'';
    return Fail(begins ? "this string has no closing quote, or an escape that C does not know"
                       : "expected a string in quotes");
  }

  bool failed() const { return failed_; }
  const Error& error() const { return error_; }
  void SetErrorOffset(uint32_t offset) { error_.offset = offset; }
  void ClearError() { failed_ = false; }

 private:
  // Out of line: it would make room on the stack for a message at each character that is there.
  bool FailToFind(char punctuation, absl::string_view where);

  bool failed_ = false;
  Error error_;
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PARSE_READER_H_
