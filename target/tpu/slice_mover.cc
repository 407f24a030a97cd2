// The part of pad-slice-mover for sums: a device that keeps only its part of an array computed from a sum slices the
// operands first.
//
//   d = dynamic-slice(add(all-reduce(x), y), partition * 8, 0)
//   ->  d = add(dynamic-slice(all-reduce(x), partition * 8, 0), dynamic-slice(y, partition * 8, 0))
//
// Then the all-reduce may become a reduce-scatter. An all-gather that is sliced stays. Nothing else reads
// the sum or what is computed from it. The pass runs directly before tpu-all-reduce-scatter-fusion; that
// compiler moves other slices, too, which changes no collective. Found from its dumps. Cost: linear.
// Tested by tpu_passes_test.cc.

#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

constexpr int kDeepest = 16;  // operations between the slice and the sum

class SliceMover {
 public:
  explicit SliceMover(DeviceProgram* program) : program_(*program) {}

  // Of a dynamic-slice and those that it becomes.
  void Move(InstructionId slice) {
    const InstructionId of = program_.operand(slice, 0);
    if (!IsOnlyRead(of) || program_.opcode(of) == Opcode::kAllReduce || !HasSum(of, 0)) return;
    std::vector<InstructionId> parts, slices;
    for (const InstructionId operand : program_.operands(of)) parts.push_back(operand);
    for (InstructionId& part : parts) {
      part = Sliced(slice, part);
      slices.push_back(part);
    }
    const InstructionId result =
        program_.Clone(of, parts, Resized(program_.shape(of), program_.shape(slice).dims()));
    program_.ReplaceUses(slice, result);
    program_.RemoveDead(slice);
    for (const InstructionId part : slices) Move(part);
  }

 private:
  bool IsOnlyRead(InstructionId id) const {
    return !program_.IsPinned(id) && program_.OnlyUser(id) != kNoId;
  }

  // An all-reduce below elementwise operations on arrays of one shape.
  bool HasSum(InstructionId id, int depth) const {
    if (depth > kDeepest || !IsOnlyRead(id)) return false;
    if (program_.opcode(id) == Opcode::kAllReduce) return true;
    if (KindOf(program_.opcode(id)) != OpKind::kElementwise) return false;
    const auto& operands = program_.operands(id);
    const bool is_even = absl::c_all_of(operands, [&](InstructionId operand) {
      return !program_.shape(operand).is_tuple() &&
             program_.shape(operand).dims() == program_.shape(id).dims();
    });
    return is_even && absl::c_any_of(operands, [&](InstructionId operand) {
             return HasSum(operand, depth + 1);
           });
  }

  InstructionId Sliced(InstructionId slice, InstructionId operand) {
    const auto& old = program_.operands(slice);
    std::vector<InstructionId> operands(old.begin(), old.end());
    operands[0] = operand;
    return program_.Clone(slice, operands,
                          Resized(program_.shape(operand), program_.shape(slice).dims()));
  }

  DeviceProgram& program_;
};

}  // namespace

absl::Status MoveSlicesToSums(Context& context) {
  SliceMover mover(&context.program);
  for (const InstructionId id : AllInstructions(context.program)) {
    if (context.program.opcode(id) == Opcode::kDynamicSlice) mover.Move(id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
