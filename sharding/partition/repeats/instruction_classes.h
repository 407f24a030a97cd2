// Classes of instructions that are equal by themselves: opcode, shape, attributes, sharding.
//
//   InstructionClasses classes(view);
//   classes.Of(add1).number == classes.Of(add2).number;   // equal, whatever their operands
//
// Two instructions of one class whose operands and results have equal shardings are partitioned
// identically, if the class may repeat (`Class::may_repeat`). A class omits names, metadata and
// called computations except their roots: the partitioner does not read these. It includes facts of
// other instructions that the partitioner reads: the start of an update, dimensions in which
// indices count. Cost: a comparison of numbers where the parser found equal attribute lists; else
// linear in their texts. Tested by instruction_classes_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_REPEATS_INSTRUCTION_CLASSES_H_
#define TESSERA_SHARDING_PARTITION_REPEATS_INSTRUCTION_CLASSES_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/ops/visit.h"
#include "tessera/sharding/partition/tiling/numbering.h"

namespace tessera::sharding::partition {

class InstructionClasses {
 public:
  using Id = uint32_t;
  struct Class {
    bool is_by_shard = false;    // element-wise, or a slice
    bool cuts_or_joins = false;  // a slice or a concatenation
    bool may_repeat = false;     // its visit follows from the class and from how all of it lies
    hlo::Opcode opcode = hlo::Opcode::kParameter;
    hlo::ShapeId shape = 0;
    bool comes_again = false;  // more than one was asked for: else no record is worth its while
  };

  explicit InstructionClasses(const ModuleView& view) : module_(view.module()), view_(view) {
    seen_.reserve(module_.num_instructions());
    recent_.fill(kNone);
  }

  // The number, and whether it is a new one.
  Numbering::Numbered Of(hlo::InstructionId id);
  // Follows the previous layer: the class that came next there most often comes next again. Returns
  // the number of leading `ids` for which it does, and writes their classes to `class_of`.
  size_t Follow(absl::Span<const hlo::InstructionId> ids, std::vector<Id>& class_of);
  const Class& operator[](Id id) const { return classes_[id]; }
  size_t size() const { return classes_.size(); }

 private:
  static constexpr Id kNone = 0xffffffffu;

  // The first instruction of a class.
  struct Model {
    hlo::InstructionId id = hlo::kNoId;
    hlo::ShapeId shape = 0;
    hlo::Opcode opcode = hlo::Opcode::kParameter;
    uint16_t alike = 0;   // attributes up to the metadata; 0: they alone do not tell
    uint32_t most = 0;    // so many attributes say no more than these
    uint32_t latest = 0;  // where in `seen_` its class stands last
  };

  Numbering::Numbered LookUp(hlo::InstructionId id);
  void Note(Id class_id) {
    models_[class_id].latest = static_cast<uint32_t>(seen_.size());
    seen_.push_back(class_id);
  }
  bool IsLike(hlo::InstructionId id, Id class_id) const {
    const Model& model = models_[class_id];
    const hlo::Instruction& instruction = module_.instruction(id);
    if (instruction.opcode != model.opcode || instruction.shape != model.shape) return false;
    const bool is_alike = model.alike != 0 && instruction.attributes_alike == model.alike &&
                          instruction.attributes.size <= model.most;
    return is_alike || SameParts(id, model);
  }
  bool SameParts(hlo::InstructionId id, const Model& model) const;
  Model ModelOf(hlo::InstructionId id) const;
  bool AreNumbered(hlo::InstructionId id) const;
  bool AreLong(hlo::InstructionId id) const;
  bool SameAttributes(hlo::InstructionId a, hlo::InstructionId b) const;
  bool SameLiteral(hlo::InstructionId a, hlo::InstructionId b) const;
  hlo::Opcode RootOf(hlo::ComputationId called) const;
  void AppendText(const char* begin, const char* end);
  void AppendLiterals(hlo::InstructionId id);
  void AppendIndices(hlo::InstructionId id);
  void AppendAttributes(hlo::InstructionId id);

  const hlo::Module& module_;
  const ModuleView& view_;
  std::vector<Class> classes_;
  std::vector<Model> models_;   // by class
  std::vector<Id> seen_;        // in the order of questions
  std::array<Id, 256> recent_;  // by opcode and shape, as far as they are apart here
  uint32_t expected_ = kNone;   // where the next one is expected to have been seen
  // What Follow() added last to `seen_`: known to come again.
  size_t followed_begin_ = 0, followed_end_ = 0;
  Numbering numbers_;
  std::vector<uint64_t> words_;  // of the instruction asked for
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_REPEATS_INSTRUCTION_CLASSES_H_
