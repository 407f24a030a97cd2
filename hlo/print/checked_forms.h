// A memo of verified signatures: opcode, shapes of the result and of the operands, attributes of the
// opcode, signatures of the callees. A module has few distinct ones (a dump of a training step one in
// ten to fifty), so most instructions are compared with a known one instead of being verified. Those without callees are compared
// as a few numbers: the parser has found which of their attributes are the same text
// (Instruction::attributes_alike).
//
//   CheckedForms checked(module);
//   const uint8_t kinds = KindsOf(module.attributes(id));
//   if (!checked.Contains(id, kinds) && Check(id).ok()) checked.AddSought(id);
//
// Of the others (with callees, with more than three operands, changed since they were read), the
// last one with the same opcode and shapes is looked at first. Mostly it is equal, and no text
// needs to be hashed.

#ifndef TESSERA_HLO_PRINT_CHECKED_FORMS_H_
#define TESSERA_HLO_PRINT_CHECKED_FORMS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "tessera/hlo/module.h"

namespace tessera::hlo {

// The kinds of attributes of an instruction: bits, so that one walk finds all.
enum AttributeKind : uint8_t {
  kOwnAttribute = 1,       // one that a rule reads
  kShardingAttribute = 2,  // and beside that, which one it is
  kMetadataAttribute = 4,
  kOwnAfterMetadata = 8,  // of a list: Instruction::attributes_alike does not know of it
  kNumberAttribute = 16,   // no rule reads it, and it is another one in each instruction
};

struct AttributeKinds {
  uint8_t of[kNumAttributeNames];
};
extern const AttributeKinds kAttributeKinds;

inline uint8_t KindsOf(absl::Span<const Attribute> attributes) {
  uint8_t kinds = 0;
  for (const Attribute& a : attributes) {
    const unsigned kind = kAttributeKinds.of[static_cast<size_t>(a.name())];
    const unsigned after = kinds & kMetadataAttribute ? kind & kOwnAttribute : 0;
    kinds |= static_cast<uint8_t>(kind | after * kOwnAfterMetadata);
  }
  return kinds;
}

class CheckedForms {
 public:
  explicit CheckedForms(const Module& module);

  // True if an instruction of this form was added; `kinds` is KindsOf its attributes. Expected cost:
  // one pass over its operands and attributes, and over the parameters of its callees.
  bool Contains(InstructionId id, uint8_t kinds) {
    if (!IsPlain(id, kinds)) return ContainsTexts(id);
    const PlainForm form = PlainFormOf(id, kinds);
    PlainForm& place = plain_forms_[PlaceOf(form)];
    if (place == form) return true;
    sought_ = form;
    plain_place_ = &place;
    return false;
  }
  // The one that Contains was asked about last, and that was not there.
  void AddSought(InstructionId id) {
    if (plain_place_ == nullptr) return AddTexts(id);
    *plain_place_ = sought_;
  }

 private:
  struct Slot {
    uint32_t hash = 0;
    InstructionId id = kNoId;
  };

  // Attributes, opcode, number of operands, and the shapes of result and operands: two numbers in a
  // word.
  struct PlainForm {
    static constexpr size_t kMaxOperands = 3;

    uint64_t head_and_result;  // of a form it is not 0
    uint64_t first_operands;
    uint64_t last_operand;

    bool operator==(const PlainForm& other) const {
      return head_and_result == other.head_and_result && first_operands == other.first_operands &&
             last_operand == other.last_operand;
    }
  };
  bool IsPlain(InstructionId id, uint8_t kinds) const {
    const Instruction& instruction = module_.instruction(id);
    const bool is_known = instruction.attributes_alike != 0
                              ? !(kinds & (kOwnAfterMetadata | kNumberAttribute))
                              : !(kinds & kOwnAttribute);
    return is_known && instruction.called.size == 0 &&
           instruction.operands.size <= PlainForm::kMaxOperands;
  }
  PlainForm PlainFormOf(InstructionId id, uint8_t kinds) const {
    const Instruction& instruction = module_.instruction(id);
    const absl::Span<const InstructionId> operands = module_.operands(id);
    const auto shape = [&](size_t i) {
      return i < operands.size() ? uint64_t{module_.shape_id(operands[i])} : 0;
    };
    const uint64_t attributes = kinds & kOwnAttribute ? instruction.attributes_alike : 0;
    const uint64_t head =
        attributes << 11 | static_cast<uint64_t>(instruction.opcode) << 3 | (operands.size() + 1);
    return {head << 32 | instruction.shape, shape(0) << 32 | shape(1), shape(2)};
  }
  // The highest bits of a product depend on all of its factor.
  static constexpr int kPlaceShift = 52;
  static constexpr size_t kMostPlaces = size_t{1} << (64 - kPlaceShift);
  size_t PlaceOf(const PlainForm& form) const {
    const uint64_t mixed = (form.head_and_result * 0x9e3779b97f4a7c15u) ^
                           (form.first_operands * 0xff51afd7ed558ccdu) ^
                           (form.last_operand * 0xc4ceb9fe1a85ec53u);
    return (mixed >> kPlaceShift) & mask_;
  }

  bool ContainsTexts(InstructionId id);
  void AddTexts(InstructionId id);
  // Opcode and shapes.
  uint64_t HashOfNumbers(InstructionId id) const;
  uint32_t HashOf(InstructionId id, uint64_t numbers) const;
  bool AreEqual(InstructionId a, InstructionId b) const;
  // Of instructions with as many.
  bool CalleesAreEqual(InstructionId a, InstructionId b) const;
  void Put(Slot slot);

  const Module& module_;
  std::vector<Slot> slots_;
  size_t count_ = 0;
  // By hash, as many places as `mask_` has numbers; one gives way to the next of its hash.
  const size_t mask_;
  const std::unique_ptr<PlainForm[]> plain_forms_;
  std::vector<InstructionId> latest_;  // of those that are not plain
  // The last form that Contains looked for.
  PlainForm sought_ = {};
  PlainForm* plain_place_ = nullptr;  // null if it is not plain
  InstructionId* latest_place_ = nullptr;
  uint32_t texts_hash_ = 0;
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PRINT_CHECKED_FORMS_H_
