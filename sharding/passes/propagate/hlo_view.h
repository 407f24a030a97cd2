// An op of the program as the rule package sees it.
//
//   HloView view(program, op);
//   rules::TraitsOf(view.get()).element_wise;
//   rules::DeriveRule(view.get());
//
// For ops of kind kHlo and kConstant. Neighbour facts (is an operand a slice, ..) are read off the
// program as it is now.

#ifndef TESSERA_SHARDING_PASSES_PROPAGATE_HLO_VIEW_H_
#define TESSERA_SHARDING_PASSES_PROPAGATE_HLO_VIEW_H_

#include "tessera/hlo/attributes.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/rules/op_view.h"
#include "tessera/sharding/rules/rules.h"

namespace tessera::sharding::passes {

class HloView {
 public:
  HloView(const HloProgram& program, const Op& op);
  HloView(const HloView&) = delete;
  HloView& operator=(const HloView&) = delete;

  // Valid as long as this object.
  const rules::OpView& get() const { return view_; }

 private:
  rules::ShapeList operands_;
  rules::ShapeList results_;
  hlo::IntList dimensions_;
  rules::OpView view_;
};

// The traits of the op for propagation; marks of the user (constraints, ..) included.
OpTraits TraitsOf(const HloProgram& program, const Op& op);

// Broadcasts, reshapes, slices and element-wise ops, if pure: they make constants of constants.
bool PreservesConstants(const HloProgram& program, const Op& op);

// The opcode of the op; for a part of an instruction, the opcode of the part.
hlo::Opcode OpcodeOf(const Op& op);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_PROPAGATE_HLO_VIEW_H_
