// dynamic-slice(transpose(x), i, j)  ->  transpose(dynamic-slice(x, j, i))
//
// So that a device's part of an all-reduce is taken next to it, and both become a reduce-scatter.
// Where nobody else reads the transpose.

#include <cstdint>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {

InstructionId SliceBeforeTranspose(DeviceProgram& program, InstructionId slice) {
  const InstructionId transpose = program.operand(slice, 0);
  if (program.opcode(transpose) != Opcode::kTranspose || program.OnlyUser(transpose) != slice) {
    return kNoId;
  }
  const IntList order = DimensionsOf(program, transpose);
  const layout::Shape shape = program.shape(slice);
  if (program.operands(slice).size() != order.size() + 1) return kNoId;
  IntList sizes(order.size());
  std::vector<InstructionId> operands(order.size() + 1);
  operands[0] = program.operand(transpose, 0);
  for (size_t k = 0; k < order.size(); ++k) {
    const auto from = static_cast<size_t>(order[k]);
    sizes[from] = shape.dim(static_cast<int64_t>(k));
    operands[from + 1] = program.operand(slice, k + 1);
  }
  const InstructionId part = program.Clone(slice, operands, Resized(shape, sizes));
  program.SetAttribute(part, hlo::AttributeName::kDynamicSliceSizes, hlo::PrintInts(sizes));
  return program.Clone(transpose, {part}, shape);
}

}  // namespace tessera::target
