// The OpView of an instruction alone, for callers that have a module but no program.
//
//   HloOpView view(module, id);
//   std::optional<OpShardingRule> rule = DeriveRule(view.get());
//
// Tuples are taken apart. Neighbours are looked up in the module, through tuple and
// get-tuple-element; what is invariant in a loop is not known here, as it is to the program. A
// broadcast whose dimensions do not ascend, which the import takes for a transpose and a broadcast,
// is seen as one op.

#ifndef TESSERA_SHARDING_RULES_HLO_OP_VIEW_H_
#define TESSERA_SHARDING_RULES_HLO_OP_VIEW_H_

#include "tessera/hlo/module.h"
#include "tessera/sharding/rules/op_view.h"

namespace tessera::sharding::rules {

class HloOpView {
 public:
  // Linear in the instruction, but for X64Combine, whose users are looked for in its computation.
  HloOpView(const hlo::Module& module, hlo::InstructionId id);
  HloOpView(const HloOpView&) = delete;
  HloOpView& operator=(const HloOpView&) = delete;

  // Valid as long as this object and the module.
  const OpView& get() const { return view_; }

 private:
  ShapeList operands_;
  ShapeList results_;
  OpView view_;
};

}  // namespace tessera::sharding::rules

#endif  // TESSERA_SHARDING_RULES_HLO_OP_VIEW_H_
