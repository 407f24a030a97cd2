#include "tessera/target/passes/convert_mover.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/passes/constant_folding.h"
#include "tessera/target/passes/rewrites.h"

namespace tessera::target {
namespace {

using layout::ElementType;

constexpr Opcode kMoveElements[] = {Opcode::kConcatenate, Opcode::kPad, Opcode::kReshape,
                                    Opcode::kSlice, Opcode::kTranspose};

class Mover {
 public:
  Mover(DeviceProgram& program, ComputationId c) : program_(program), c_(c) {}

  void MoveWideningAfter() {
    const std::vector<InstructionId> order = program_.PostOrder(c_);
    for (const InstructionId id : order) {
      const InstructionId convert = WideningOf(id);
      if (convert != kNoId) MoveAfter(id, TypeOf(program_.operand(convert, 0)));
    }
  }

  void MoveNarrowingInFront() {
    std::vector<InstructionId> open = program_.PostOrder(c_);
    while (!open.empty()) {
      const InstructionId convert = open.back();
      open.pop_back();
      if (program_.IsRemoved(convert) || !IsNarrowing(convert)) continue;
      const std::vector<InstructionId> made = MoveInFront(convert);
      open.insert(open.end(), made.begin(), made.end());
    }
  }

 private:
  ElementType TypeOf(InstructionId id) const { return program_.shape(id).element_type(); }
  int BitsOf(InstructionId id) const { return layout::BitWidth(TypeOf(id)); }

  bool MovesElements(InstructionId id) const {
    return absl::c_linear_search(kMoveElements, program_.opcode(id)) && !program_.IsPinned(id);
  }

  bool IsConvert(InstructionId id) const {
    return program_.opcode(id) == Opcode::kConvert && !program_.IsPinned(id);
  }

  bool HasOneUser(InstructionId id) const { return program_.Users(id).size() == 1; }

  // The first of the converts that all operands are, but for constants; kNoId if the instruction does not go in
  // front of them.
  InstructionId WideningOf(InstructionId id) const {
    if (!MovesElements(id)) return kNoId;
    const auto operands = program_.operands(id);
    const auto found = absl::c_find_if(operands, [&](InstructionId o) { return IsConvert(o); });
    if (found == operands.end() || BitsOf(program_.operand(*found, 0)) >= BitsOf(*found)) {
      return kNoId;
    }
    const ElementType narrow = TypeOf(program_.operand(*found, 0));
    const bool may_move = absl::c_all_of(operands, [&](InstructionId operand) {
      if (program_.opcode(operand) == Opcode::kConstant) {
        return KeepsElements(program_, operand, narrow);
      }
      return IsConvert(operand) && HasOneUser(operand) &&
             TypeOf(program_.operand(operand, 0)) == narrow;
    });
    return may_move && !layout::IsSubByte(narrow) ? *found : kNoId;
  }

  void MoveAfter(InstructionId id, ElementType narrow) {
    std::vector<InstructionId> operands;
    for (const InstructionId operand : program_.operands(id)) {
      operands.push_back(IsConvert(operand) ? program_.operand(operand, 0)
                                            : AddConvert(program_, operand, narrow));
    }
    const InstructionId moved = program_.Clone(id, operands, Retyped(program_.shape(id), narrow));
    const InstructionId convert = AddConvert(program_, moved, TypeOf(id));
    program_.ReplaceUses(id, convert);
    program_.RemoveDead(id);
  }

  bool IsNarrowing(InstructionId id) const {
    if (!IsConvert(id)) return false;
    const InstructionId operand = program_.operand(id, 0);
    return MovesElements(operand) && HasOneUser(operand) && BitsOf(operand) > BitsOf(id) &&
           !layout::IsSubByte(TypeOf(id));
  }

  // The new converts.
  std::vector<InstructionId> MoveInFront(InstructionId convert) {
    const InstructionId moved = program_.operand(convert, 0);
    std::vector<InstructionId> narrow;
    for (const InstructionId operand : std::vector<InstructionId>(program_.operands(moved).begin(),
                                                                  program_.operands(moved).end())) {
      narrow.push_back(AddConvert(program_, operand, TypeOf(convert)));
    }
    program_.ReplaceUses(
        convert, program_.Clone(moved, narrow, Retyped(program_.shape(moved), TypeOf(convert))));
    program_.RemoveDead(convert);
    return narrow;
  }

  DeviceProgram& program_;
  const ComputationId c_;
};

}  // namespace

absl::Status MoveConverts(Context& context) {
  for (const ComputationId c : context.program.Computations()) {
    Mover mover(context.program, c);
    mover.MoveWideningAfter();
    mover.MoveNarrowingInFront();
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
