// f32[12] reduce(f32[24,12] concatenate(x[16,12], y[8,12]), 0), dimensions={0}  ->  add(reduce(x, 0), reduce(y, 0))
//
// What is joined along a dimension that goes is reduced by itself, whoever else reads the joined array. So it is in
// sixteen probes of the compiler of TPUs: sums, largest numbers, stacked arrays. A reduce of several arrays stays, and so
// does one of a product of the joined array. Tested by tpu_rules_test.cc.

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/layout/shape.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {

InstructionId ReduceBeforeConcatenate(DeviceProgram& program, InstructionId reduce) {
  if (!IsReduceOfOneArray(program, reduce)) return kNoId;
  const InstructionId joined = program.operand(reduce, 0);
  if (program.opcode(joined) != Opcode::kConcatenate) return kNoId;
  const IntList reduced = DimensionsOf(program, reduce);
  if (!absl::c_linear_search(reduced, DimensionsOf(program, joined)[0])) return kNoId;
  const std::optional<Opcode> step = OnlyStep(program, reduce);
  if (!step.has_value()) return kNoId;
  const layout::Shape shape = program.shape(reduce);
  const std::vector<InstructionId> parts(program.operands(joined).begin(),
                                         program.operands(joined).end());
  InstructionId all = kNoId;
  for (const InstructionId part : parts) {
    const InstructionId one = ReduceOver(program, reduce, part, reduced);
    all = all == kNoId ? one
                       : program.Add(program.computation(reduce), *step, hlo::OpcodeName(*step),
                                     shape, {all, one});
  }
  return all;
}

}  // namespace tessera::target
