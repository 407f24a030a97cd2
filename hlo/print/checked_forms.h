// File: checked_forms.h
//
// Instructions that were found good, by all that the rules of the verifier look at: opcode, shapes
// of the result and of the operands, attributes of the opcode, signatures of the callees. A module
// has few distinct ones (a dump of a training step one in ten to fifty), so that most instructions
// are compared with one that is known instead of being checked. Those without callees and without
// attributes that a rule reads, two of three, are compared as a few numbers.
//
//   CheckedForms checked(module);
//   if (!checked.Contains(id) && Check(id).ok()) checked.Add(id);

#ifndef TESSERA_HLO_PRINT_CHECKED_FORMS_H_
#define TESSERA_HLO_PRINT_CHECKED_FORMS_H_

#include <cstdint>
#include <vector>

#include "tessera/hlo/module.h"

namespace tessera::hlo {

class CheckedForms {
 public:
  explicit CheckedForms(const Module& module);

  // True if an instruction of this form was added. Expected cost: one pass over its operands and
  // attributes, and over the parameters of its callees.
  bool Contains(InstructionId id);
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

  // Opcode, number of operands, and the shapes of result and operands.
  struct PlainForm {
    static constexpr size_t kMaxOperands = 3;

    uint32_t head = kNoId;
    ShapeId result = 0;
    ShapeId operands[kMaxOperands] = {};
  };

  bool IsPlain(InstructionId id) const;
  PlainForm PlainFormOf(InstructionId id) const;
  bool ContainsPlain(const PlainForm& form);
  uint32_t HashOf(InstructionId id) const;
  bool AreEqual(InstructionId a, InstructionId b) const;
  bool CalleesAreEqual(InstructionId a, InstructionId b) const;
  void Put(Slot slot);

  const Module& module_;
  std::vector<Slot> slots_;
  size_t count_ = 0;
  std::vector<PlainForm> plain_forms_;  // by hash; a form gives way to the next of its hash
  // Of the instruction asked about last:
  uint32_t hash_ = 0;
  bool is_plain_ = false;
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PRINT_CHECKED_FORMS_H_
