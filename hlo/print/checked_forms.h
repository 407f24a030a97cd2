// File: checked_forms.h
//
// Instructions that were found good, by all that the rules of the verifier look at: opcode, shapes
// of the result and of the operands, attributes of the opcode, signatures of the callees. A module
// has few distinct ones (a dump of a training step one in ten to fifty), so that most instructions
// are compared with one that is known instead of being checked. Those without callees and without
// attributes that a rule reads, two of three, are compared as a few numbers.
//
//   CheckedForms checked(module);
//   const bool has_own = KindsOf(module.attributes(id)) & kOwnAttribute;
//   if (!checked.Contains(id, has_own) && Check(id).ok()) checked.Add(id);

#ifndef TESSERA_HLO_PRINT_CHECKED_FORMS_H_
#define TESSERA_HLO_PRINT_CHECKED_FORMS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/hlo/module.h"

namespace tessera::hlo {

// What there is among the attributes of an instruction: bits, so that one walk tells it all.
enum AttributeKind : uint8_t {
  kOwnAttribute = 1,      // one that a rule reads
  kShardingAttribute = 2  // checked apart
};

uint8_t KindsOf(absl::Span<const Attribute> attributes);

class CheckedForms {
 public:
  explicit CheckedForms(const Module& module);

  // True if an instruction of this form was added; `has_own` says whether KindsOf has kOwnAttribute.
  // Expected cost: one pass over its operands and attributes, and over the parameters of its callees.
  bool Contains(InstructionId id, bool has_own);
  // Says that Contains will soon be asked about it: what it reads is brought near. The texts of
  // attributes are spread over the whole file, and waiting for them is most of the time.
  void Expect(InstructionId id) const;
  // The instruction that Contains was asked about last.
  void Add(InstructionId id);

 private:
  struct Slot {
    uint32_t hash = 0;
    InstructionId id = kNoId;
  };

  // Opcode, number of operands, and the shapes of result and operands, two numbers in a word.
  struct PlainForm {
    static constexpr size_t kMaxOperands = 3;

    uint64_t head_and_result = ~uint64_t{0};
    uint64_t first_operands = 0;
    uint64_t last_operand = 0;
  };

  static PlainForm PlainFormOf(const Module& module, InstructionId id);
  uint32_t HashOf(InstructionId id) const;
  bool AreEqual(InstructionId a, InstructionId b) const;
  // Of instructions with as many.
  bool CalleesAreEqual(InstructionId a, InstructionId b) const;
  void Put(Slot slot);

  const Module& module_;
  std::vector<Slot> slots_;
  size_t count_ = 0;
  std::vector<PlainForm> plain_forms_;  // by hash; a form gives way to the next of its hash
  // Of the instruction asked about last:
  uint32_t hash_ = 0;
  bool is_plain_ = false;
  PlainForm plain_form_;  // if it is
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PRINT_CHECKED_FORMS_H_
