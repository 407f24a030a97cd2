// Whether an instruction is spelled as it would be printed: watched while it is read, where it
// costs little, for a printer that then copies it.
//
//   CanonicalFormTracker watch;
//   watch.Name(begin, is_root, name, in.at());
//   ..
//   SpellingState form = watch.Finish(opcode);
//
// Places in the text are those of tokens that were read without a mistake. So these functions look
// only at the text between them.

#ifndef TESSERA_HLO_PRINT_SPELLING_STATE_H_
#define TESSERA_HLO_PRINT_SPELLING_STATE_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/schema/opcode_attributes.h"

namespace tessera::hlo {

// Whether a value other than metadata prints as it is written; kValues: that needs a look at the
// printed form.
SpellingState FormOfValue(AttributeName name, Opcode opcode, absl::string_view text);

class CanonicalFormTracker {
 public:
  // To watch a part of an instruction on its own: its shape and opcode, or its first attributes.
  static CanonicalFormTracker OfPart() {
    CanonicalFormTracker part;
    part.printed_ = true;
    return part;
  }
  // Adds a part to the text watched so far.
  void Append(const CanonicalFormTracker& part) {
    printed_ = printed_ && part.printed_;
    values_ |= part.values_;
    next_own_ = part.next_own_;
    rank_ = part.rank_;
  }

  // `[ROOT ]%name = `; the next token begins at `next`.
  void Name(const char* begin, bool is_root, absl::string_view name, const char* next) {
    const char* at = begin + (is_root ? 5 : 0);
    const char* end = name.data() + name.size();
    printed_ = name.data() == at + 1 && *at == '%' && (!is_root || at[-1] == ' ') &&
               next == end + 3 && end[0] == ' ' && end[1] == '=' && end[2] == ' ';
  }
  // A shape that ends at `end`; `printed`: spelled as shapes are.
  void Shape(bool printed, const char* end, const char* next) {
    printed_ = printed_ && printed && next == end + 1 && *end == ' ';
  }
  // Nothing between two tokens.
  void Joined(const char* end, const char* next) { printed_ = printed_ && end == next; }
  // `%name` at `due`, immediately followed by `next`, ',' or ')'.
  void Operand(const char* due, const char* begin, size_t name_size, const char* next) {
    printed_ = printed_ && begin == due && *begin == '%' && next == begin + 1 + name_size;
  }
  // Where the operand after this comma must begin; `place` of them stand before.
  static const char* ExpectedStart(const char* comma, size_t place) {
    if (place % 5 == 0) return DueAfterIndex(comma, place);
    return comma[1] == ' ' ? comma + 2 : nullptr;
  }
  void Parameter(uint32_t number, const char* open, const char* close);
  void Literal(absl::string_view text, const char* open, const char* close);
  // A comma in front of an attribute: after the token that ends at `end`, before `next`.
  void Comma(const char* end, const char* comma, const char* next) {
    printed_ = printed_ && end == comma && next == comma + 2 && comma[1] == ' ';
  }
  void Attribute(Opcode opcode, const hlo::Attribute& attribute, size_t name_size);
  // The same for one whose value is known to be in this form.
  void Attribute(Opcode opcode, const hlo::Attribute& attribute, size_t name_size,
                 SpellingState form);
  SpellingState Finish(Opcode opcode);
  // Nothing so far that would be printed otherwise.
  bool is_printed() const { return printed_; }

 private:
  static const char* DueAfterIndex(const char* comma, size_t place);
  bool SkipOwn(Opcode opcode, AttributeName until);

  bool printed_ = false;
  bool values_ = false;
  size_t next_own_ = 0;
  int rank_ = 0;
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PRINT_SPELLING_STATE_H_
