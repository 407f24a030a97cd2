// What instructions are by themselves, as numbers: opcode, shape, attributes, sharding.
//
//   Kinds kinds(module);
//   kinds.Of(add1).number == kinds.Of(add2).number;   // the same, whatever they add
//
// Of two instructions of one kind that may repeat (`Kind::may_repeat`), with results and operands
// lying alike, the partitioner makes the same. Left out is what it does not read: names, metadata,
// which computation is called but for its root. What it reads of other instructions is part of the
// kind: where an update begins, along which dimensions indices count. Cost: linear in the texts of attributes, which are
// read as they stand, as far as they follow one another in the source. Tested by kinds_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_KINDS_H_
#define TESSERA_SHARDING_PARTITION_KINDS_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/ops/visit.h"
#include "tessera/sharding/partition/tiling/numbering.h"

namespace tessera::sharding::partition {

class Kinds {
 public:
  using Id = uint32_t;
  struct Kind {
    bool is_element_wise = false;
    bool cuts_or_joins = false;  // a slice or a concatenation
    bool may_repeat = false;     // its visit follows from the kind and from how all of it lies
  };

  explicit Kinds(const hlo::Module& module) : module_(module), view_(module) {}

  // The number, and whether it is a new one.
  Numbering::Numbered Of(hlo::InstructionId id);
  const Kind& operator[](Id id) const { return kinds_[id]; }
  size_t size() const { return kinds_.size(); }

 private:
  static constexpr Id kNone = 0xffffffffu;

  Numbering::Numbered LookUp(hlo::InstructionId id);
  bool IsLike(hlo::InstructionId id, hlo::InstructionId model) const;
  bool SameAttributes(hlo::InstructionId a, hlo::InstructionId b) const;
  static bool LooksAround(hlo::Opcode opcode);
  bool SameLiteral(hlo::InstructionId a, hlo::InstructionId b) const;
  hlo::Opcode RootOf(hlo::ComputationId called) const;
  void AppendText(const char* begin, const char* end);
  void AppendLiterals(hlo::InstructionId id);
  void AppendIndices(hlo::InstructionId id);
  void AppendAttributes(hlo::InstructionId id);

  const hlo::Module& module_;
  const ModuleView view_;
  std::vector<Kind> kinds_;
  std::vector<hlo::InstructionId> models_;  // by kind: the first one
  std::vector<Id> seen_;                    // in the order of questions
  std::vector<uint32_t> latest_;            // by kind: where it was seen last
  uint32_t expected_ = kNone;               // where the next one is expected to have been seen
  Numbering numbers_;
  std::vector<uint64_t> words_;  // of the instruction asked for
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_KINDS_H_
