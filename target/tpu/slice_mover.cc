// The part of pad-slice-mover for sums. A slice of a device's part of a sum is a part of its own, so the sum is no
// reduce-scatter: queries, keys and values of one product are an example. In 14 probes the part was that of an
// all-reduce, read whole as well or not.
//
//   slice(dynamic-slice(all-reduce(x), partition * 8, 0), columns 4 to 6)
//   ->  dynamic-slice(all-reduce(x), partition * 8, 0 + 4)
//
// A device that keeps only its part of an array computed from a sum slices the operands first.
//
//   d = dynamic-slice(add(all-reduce(x), y), partition * 8, 0)
//   ->  d = add(dynamic-slice(all-reduce(x), partition * 8, 0), dynamic-slice(y, partition * 8, 0))
//
// Then the all-reduce may become a reduce-scatter. An all-gather that is sliced stays. Nothing else reads
// the sum or what is computed from it. The pass runs directly before tpu-all-reduce-scatter-fusion; that
// compiler moves other slices, too, which changes no collective. Found from its dumps. Cost: linear.
// Tested by tpu_passes_test.cc.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/shape.h"
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

InstructionId MovedBy(DeviceProgram& program, InstructionId start, int64_t by) {
  if (by == 0) return start;
  const ComputationId c = program.computation(start);
  const layout::Shape shape = program.shape(start);
  const InstructionId constant = program.AddConstant(c, shape, absl::StrCat(by));
  return program.Add(c, Opcode::kAdd, "add", shape, {start, constant});
}

// Of the dynamic-slice of a sum, cut further.
void CutOnce(DeviceProgram& program, InstructionId slice) {
  const InstructionId part = program.operand(slice, 0);
  if (program.opcode(part) != Opcode::kDynamicSlice) return;
  const InstructionId sum = program.operand(part, 0);
  if (program.opcode(sum) != Opcode::kAllReduce || program.IsPinned(slice)) return;
  const auto ranges = hlo::GetSlice(program.module(), slice);
  if (absl::c_any_of(ranges, [](const hlo::SliceDimension& range) { return range.stride != 1; })) {
    return;
  }
  std::vector<InstructionId> starts;
  for (size_t d = 0; d < ranges.size(); ++d) {
    starts.push_back(MovedBy(program, program.operand(part, d + 1), ranges[d].start));
  }
  program.ReplaceUses(slice, AddDynamicSlice(program, sum, starts, program.shape(slice)));
  program.RemoveDead(slice);
}

}  // namespace

absl::Status MoveSlicesToSums(Context& context) {
  for (const InstructionId id : AllInstructions(context.program)) {
    if (context.program.opcode(id) == Opcode::kSlice) CutOnce(context.program, id);
  }
  SliceMover mover(&context.program);
  for (const InstructionId id : AllInstructions(context.program)) {
    if (context.program.opcode(id) == Opcode::kDynamicSlice) mover.Move(id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
