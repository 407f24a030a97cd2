// Heads of instructions, `f32[8,4]{1,0} dot`, by their text: a module has some hundred, which
// stand in front of the operands of all its instructions.
//
//   KnownHeads heads;
//   const absl::string_view text = KnownHeads::Guess(in.Rest());
//   const KnownHeads::Head* head = heads.Find(text);       // null: read it, and ..
//   heads.Add(text, head);                                 // .. if it ended there
//
// The meaning of a text follows from the text alone. So a head that was read once without a mistake
// is not read again.

#ifndef TESSERA_HLO_PARSE_KNOWN_KNOWN_HEADS_H_
#define TESSERA_HLO_PARSE_KNOWN_KNOWN_HEADS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/parse/find_in_line.h"
#include "tessera/hlo/parse/known/known_attributes.h"
#include "tessera/hlo/print/spelling_state.h"
#include "tessera/hlo/values/text_numbers.h"

namespace tessera::hlo {

class KnownHeads {
 public:
  struct Head {
    ShapeId shape = 0;
    Opcode opcode = Opcode::kParameter;
    CanonicalFormTracker form;  // of the head alone
    // For the straight path (straight_line.cc):
    bool is_straight = false;  // it reads such instructions
    bool has_check = false;    // of CheckOpcode
    int operand_count = 0;     // kVariadicOperands when it is not fixed
    ListFacts no_attributes;
  };

  // What stands before the first bracket of the line that follows a small letter, as those of
  // tuples and of tiles, `T(8,128)`, do not. Empty if there is none.
  static absl::string_view Guess(absl::string_view rest) {
    const char* const begin = rest.data();
    const char* p = FindInLine(begin, '(');
    while (*p == '(' && (p == begin || p[-1] < 'a' || p[-1] > 'z')) p = FindInLine(p + 1, '(');
    const size_t size = static_cast<size_t>(p - begin);
    return *p == '(' && size < rest.size() ? rest.substr(0, size) : absl::string_view();
  }

  // Null if the text is not known to be a head.
  const Head* Find(absl::string_view text) const {
    const uint32_t number = numbers_.Find(text, HashText(text));
    return number == TextNumbers::kNone ? nullptr : &heads_[number];
  }
  void Add(absl::string_view text, const Head& head) {
    numbers_.Add(text, HashText(text));
    heads_.push_back(head);
  }

 private:
  TextNumbers numbers_;
  std::vector<Head> heads_;
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PARSE_KNOWN_KNOWN_HEADS_H_
