// File: checked_forms.h
//
// Instructions that were found good, by all that the rules of the verifier look at: opcode, shapes
// of the result and of the operands, attributes of the opcode, signatures of the callees. A module
// has few distinct ones (a dump of a training step one in ten to fifty), so that most instructions
// are compared with one that is known instead of being checked.
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

  uint32_t HashOf(InstructionId id) const;
  bool AreEqual(InstructionId a, InstructionId b) const;
  bool CalleesAreEqual(InstructionId a, InstructionId b) const;
  void Put(Slot slot);

  const Module& module_;
  std::vector<Slot> slots_;
  size_t count_ = 0;
  uint32_t hash_ = 0;  // of the instruction asked about last
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PRINT_CHECKED_FORMS_H_
