// f32[] reduce(f32[8,16] reduce(x[8,16,4], 0), 0)  ->  f32[] reduce(x, 0), dimensions={0,1,2}

#include <algorithm>

#include "absl/algorithm/container.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

bool AreEqual(const DeviceProgram& program, InstructionId a, InstructionId b) {
  if (a == b) return true;
  return program.opcode(a) == Opcode::kConstant && program.opcode(b) == Opcode::kConstant &&
         program.shape(a) == program.shape(b) &&
         program.module().LiteralText(a) == program.module().LiteralText(b);
}

// Dimensions of the inner operand that either of the two sums.
IntList Together(const IntList& inner, const IntList& outer, int64_t rank) {
  IntList all = inner, left;
  for (int64_t d = 0; d < rank; ++d) {
    if (!absl::c_linear_search(inner, d)) left.push_back(d);
  }
  for (const int64_t d : outer) all.push_back(left[d]);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

InstructionId MergeReduces(DeviceProgram& program, InstructionId reduce) {
  if (!IsReduceOfOneArray(program, reduce)) return kNoId;
  const InstructionId inner = program.operand(reduce, 0);
  if (!IsReduceOfOneArray(program, inner)) return kNoId;
  const std::optional<Opcode> step = OnlyStep(program, reduce);
  if (!step.has_value() || step != OnlyStep(program, inner)) return kNoId;
  const InstructionId x = program.operand(inner, 0);
  if (!AreEqual(program, program.operand(inner, 1), program.operand(reduce, 1))) return kNoId;
  const IntList dimensions = Together(DimensionsOf(program, inner), DimensionsOf(program, reduce),
                                      program.shape(x).rank());
  return ReduceOver(program, reduce, x, dimensions);
}

}  // namespace tessera::target
