// File: known_attributes.h
//
// Lists of attributes by their text. What stands between the operands of an instruction and its
// metadata, or the end of the line, repeats from layer to layer of a model:
//
//   .. dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="f"}
//                 ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
//
//   KnownAttributes known;
//   const absl::string_view text = KnownAttributes::Guess(in.Rest()).text;
//   const KnownAttributes::List* list = known.Find(Opcode::kDot, text);   // null: read it, and ..
//   known.Add(Opcode::kDot, text, attributes, names, form);               // .. if it ended there
//
// Whether a list is good, and what it says, follows from the opcode and the text; but not where it
// names computations or instructions, or is allowed by the operands: those are not to be added.
//
// Cost: a look at each byte for the guess, one for the hash and one for the comparison. Tested in
// parser_test.cc: of two equal lines the second says what the first does.

#ifndef TESSERA_HLO_PARSE_KNOWN_KNOWN_ATTRIBUTES_H_
#define TESSERA_HLO_PARSE_KNOWN_KNOWN_ATTRIBUTES_H_

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/hlo/attribute_name.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/print/spelling_state.h"
#include "tessera/hlo/values/text_numbers.h"

namespace tessera::hlo {

using AttributeNameSet = std::bitset<kNumAttributeNames>;

class KnownAttributes {
 public:
  struct List {
    absl::string_view text;  // where it stood first
    uint32_t begin = 0;      // of its attributes
    uint32_t size = 0;
    AttributeNameSet names;
    CanonicalFormTracker form;  // of the list alone
  };
  // The number of the list without attributes.
  static constexpr uint16_t kNothing = 1;
  struct Guessed {
    absl::string_view text;
    bool before_metadata = false;  // `, metadata={` follows
  };

  // What the list may be that begins `rest`; a wrong guess is never found. Empty for a long one.
  static Guessed Guess(absl::string_view rest);

  // Null if the text is not known to be a list. Good until the next Add().
  const List* Find(Opcode opcode, absl::string_view text) const {
    const uint32_t number = numbers_.Find(text, HashText(text), static_cast<uint32_t>(opcode));
    return number == TextNumbers::kNone ? nullptr : &lists_[number];
  }
  // `attributes` with values that lie in `text`. Its number; 0: there are too many.
  uint16_t Add(Opcode opcode, absl::string_view text, absl::Span<const Attribute> attributes,
               const AttributeNameSet& names, const CanonicalFormTracker& form);
  // See Instruction::attributes_alike.
  uint16_t NumberOf(const List& list) const {
    return static_cast<uint16_t>(&list - lists_.data() + kNothing + 1);
  }

  // Calls fn(attribute) for each attribute of the list, as it stands at `text`, the same list
  // again.
  template <typename Fn>
  void ForEach(const List& list, absl::string_view text, Fn fn) const {
    for (uint32_t i = 0; i < list.size; ++i) {
      const Attribute& first = attributes_[list.begin + i];
      const size_t place = static_cast<size_t>(first.value().data() - list.text.data());
      fn(Attribute(first.name(), text.substr(place, first.value().size()), first.name_distance()));
    }
  }

 private:
  TextNumbers numbers_;
  std::vector<List> lists_;  // by number
  std::vector<Attribute> attributes_;
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PARSE_KNOWN_KNOWN_ATTRIBUTES_H_
