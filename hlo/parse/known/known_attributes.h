// Lists of attributes by their text. The text between the operands of an instruction and its
// metadata, or the end of the line, repeats from layer to layer of a model:
//
//   .. dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="f"}
//                 ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
//   .. all-reduce(%a), channel_id=7, replica_groups={{0,1}}, to_apply=%sum.4, metadata={..}
//                                  ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
//
// A channel in front and a computation after it differ from line to line. They are no part of the
// text that repeats.
//
//   KnownAttributes known;
//   const KnownAttributes::Guessed guess = KnownAttributes::Guess(in.Rest());
//   const KnownAttributes::List* list = known.Find(Opcode::kDot, guess);   // null: read it, and ..
//   known.Add(Opcode::kDot, guess, attributes, names, form);               // .. if it ended there
//
// Opcode and text decide whether a list is valid, and its meaning. Lists that name other
// computations or instructions, or depend on the operands, must not be added.
//
// Cost: a look at each byte for the guess, one for the hash and one for the comparison. Tested in
// parser_test.cc: of two equal lines the second has the meaning of the first; and in
// straight_line_test.cc.

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

// The meaning of a list of attributes for an instruction whose text in front of the list is in
// printed form. After the list stands nothing, or metadata in printed form.
struct ListFacts {
  // The attributes need no other check: all that the opcode needs are there, whatever its operands
  // are, and none has to fit the shape.
  bool is_complete = false;
  SpellingState alone = SpellingState::kOther;
  SpellingState with_metadata = SpellingState::kOther;
};
ListFacts FactsOfList(Opcode opcode, const AttributeNameSet& names,
                      const CanonicalFormTracker& form);

class KnownAttributes {
 public:
  struct List {
    absl::string_view text;  // where it stood first
    uint32_t begin = 0;      // of its attributes, the channel left out
    uint32_t size = 0;
    AttributeNameSet names;
    CanonicalFormTracker form;  // of the list alone
    ListFacts facts;
  };
  // The number of the list without attributes.
  static constexpr uint16_t kNothing = 1;
  struct Guessed {
    absl::string_view list;        // all of it
    absl::string_view channel;     // 7 of `, channel_id=7` in front; empty if there is none
    absl::string_view text;        // what repeats: after the channel, in front of the computation
    absl::string_view callee;      // %sum.4; empty if there is none
    bool before_metadata = false;  // `, metadata={` follows

    bool repeats() const { return channel.empty() && callee.empty(); }
  };

  // A guess at the list at the beginning of `rest`; Find() never finds a wrong one. Empty for a
  // long list.
  static Guessed Guess(absl::string_view rest);

  // Null if the text is not known to be a list. Good until the next Add().
  const List* Find(Opcode opcode, const Guessed& guess) const {
    const uint32_t number = numbers_.Find(guess.text, HashText(guess.text), KindOf(opcode, guess));
    return number == TextNumbers::kNone ? nullptr : &lists_[number];
  }
  // `attributes` with values that lie in `guess.list`. Null: there are too many lists.
  const List* Add(Opcode opcode, const Guessed& guess, absl::Span<const Attribute> attributes,
                  const AttributeNameSet& names, const CanonicalFormTracker& form);
  // See Instruction::attributes_alike.
  uint16_t NumberOf(const List& list) const {
    return static_cast<uint16_t>(&list - lists_.data() + kNothing + 1);
  }

  // Calls fn(attribute) for each attribute of the list, as it stands at `guess`, the same list
  // again.
  template <typename Fn>
  void ForEach(const List& list, const Guessed& guess, Fn fn) const {
    constexpr uint32_t kDistance = 11;  // of `channel_id=`
    if (!guess.channel.empty()) fn(Attribute(AttributeName::kChannelId, guess.channel, kDistance));
    const uint32_t own = list.size - (guess.callee.empty() ? 0 : 1);
    for (uint32_t i = 0; i < own; ++i) {
      const Attribute& first = attributes_[list.begin + i];
      const size_t place = static_cast<size_t>(first.value().data() - list.text.data());
      fn(Attribute(first.name(), guess.text.substr(place, first.value().size()),
                   first.name_distance()));
    }
    if (guess.callee.empty()) return;
    const Attribute& last = attributes_[list.begin + own];
    fn(Attribute(last.name(), guess.callee, last.name_distance()));
  }

 private:
  static uint32_t KindOf(Opcode opcode, const Guessed& guess) {
    return static_cast<uint32_t>(opcode) << 2 | (guess.channel.empty() ? 0 : 1) |
           (guess.callee.empty() ? 0 : 2);
  }

  TextNumbers numbers_;
  std::vector<List> lists_;  // by number
  std::vector<Attribute> attributes_;
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PARSE_KNOWN_KNOWN_ATTRIBUTES_H_
