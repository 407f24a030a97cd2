// associative-scan-rewriter: a scan whose step is one associative operation is a reduce-window.
//
//   scan(x: f32[8,1024], zeros), dimensions={1}, is_associative=true       // jnp.cumsum
//     ->  reduce-window(x, 0), window={size=1x1024 pad=0_0x1023_0}
//
// Where only the elements are used, not what they add up to in the end. The step takes its two
// values in the other order then. From after to the front: not, since JAX makes no such scan.
//
// Cost: linear in the program. Tested by scans_test.cc.

#include <cstdint>
#include <optional>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/prefix_windows.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

bool Says(const DeviceProgram& program, InstructionId id, AttributeName name) {
  return program.module().FindAttribute(id, name) == "true";
}

// The operation of a step that hands on what it writes: (s, s) with s = f(carry, element).
std::optional<Opcode> StepOf(const DeviceProgram& program, InstructionId scan) {
  const auto called = program.module().called(scan);
  if (called.size() != 1) return std::nullopt;
  const InstructionId root = program.module().computation(called[0]).root;
  if (program.opcode(root) != Opcode::kTuple || program.operands(root).size() != 2) {
    return std::nullopt;
  }
  const InstructionId sum = program.operand(root, 0);
  return sum == program.operand(root, 1) ? OpcodeOnParameters(program, sum) : std::nullopt;
}

bool ReadsElementsOnly(const DeviceProgram& program, InstructionId scan) {
  return !program.IsRoot(scan) && absl::c_all_of(program.Users(scan), [&](InstructionId user) {
    return program.opcode(user) == Opcode::kGetTupleElement &&
           hlo::GetInt(program.module(), user, AttributeName::kIndex) == 0;
  });
}

bool MayBeWindow(const DeviceProgram& program, InstructionId scan) {
  const bool is_of_one = program.operands(scan).size() == 2 &&
                         hlo::GetInt(program.module(), scan, AttributeName::kNumCarries) == 1;
  return is_of_one && Says(program, scan, AttributeName::kIsAssociative) &&
         !Says(program, scan, AttributeName::kIsReverse) && !program.IsPinned(scan) &&
         ReadsElementsOnly(program, scan);
}

// Of two scalars, the second one first.
ComputationId AddStep(DeviceProgram& program, Opcode step, const layout::Shape& scalar) {
  const ComputationId c = program.AddComputation("scan_step");
  const InstructionId a = program.Add(c, Opcode::kParameter, "a", scalar, {});
  const InstructionId b = program.Add(c, Opcode::kParameter, "b", scalar, {});
  program.SetRoot(c, program.Add(c, step, "step", scalar, {b, a}));
  return c;
}

// The scalar that a scan begins with; kNoId where it begins with several.
InstructionId BeginOf(const DeviceProgram& program, InstructionId scan) {
  InstructionId begin = program.operand(scan, 1);
  if (program.opcode(begin) == Opcode::kBroadcast) begin = program.operand(begin, 0);
  return program.shape(begin).rank() == 0 ? begin : kNoId;
}

void Rewrite(DeviceProgram& program, InstructionId scan) {
  const std::optional<Opcode> step = StepOf(program, scan);
  const InstructionId begin = BeginOf(program, scan);
  const IntList along = DimensionsOf(program, scan);
  if (!step.has_value() || begin == kNoId || along.size() != 1) return;
  const InstructionId x = program.operand(scan, 0);
  const layout::Shape shape = program.shape(x);
  const int64_t size = shape.dim(along[0]);
  const InstructionId window = program.Add(program.computation(scan), Opcode::kReduceWindow,
                                           "reduce-window", shape, {x, begin});
  program.SetAttribute(window, AttributeName::kWindow,
                       WindowText(shape.rank(), along[0], {size, size - 1, 0}));
  program.SetCalled(window, {AddStep(program, *step, program.shape(begin))});
  for (const InstructionId user : program.Users(scan)) {
    program.ReplaceUses(user, window);
    program.RemoveDead(user);
  }
}

}  // namespace

absl::Status RewriteAssociativeScans(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) == Opcode::kScan && MayBeWindow(program, id)) Rewrite(program, id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
