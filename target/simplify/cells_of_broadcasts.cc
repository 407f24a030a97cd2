// convert(broadcast(x))                                 ->  broadcast(convert(x))
// multiply(broadcast(x), broadcast(y)), alike           ->  broadcast(multiply(x, y))
// add(broadcast(x), broadcast(s)), s a scalar           ->  broadcast(add(x, broadcast(s)))
//
// So with all that is element-wise but select, of any number of such operands. Probes of the compilers of GPUs and TPUs
// agree on these forms; they leave a select where it is.

#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

bool IsScalar(const DeviceProgram& program, InstructionId id) {
  return program.shape(id).rank() == 0;
}

// The broadcast that the others are like: the first of what is no scalar, else the first.
InstructionId Model(const DeviceProgram& program, absl::Span<const InstructionId> broadcasts) {
  for (const InstructionId broadcast : broadcasts) {
    if (!IsScalar(program, program.operand(broadcast, 0))) return broadcast;
  }
  return broadcasts[0];
}

}  // namespace

InstructionId CalculateBeforeBroadcast(DeviceProgram& program, InstructionId id) {
  const bool repeats = absl::c_all_of(program.operands(id), [&](InstructionId operand) {
    return program.opcode(operand) == Opcode::kBroadcast;
  });
  if (!repeats || program.operands(id).empty()) return kNoId;
  const InstructionId model = Model(program, program.operands(id));
  const IntList dimensions = DimensionsOf(program, model);
  const layout::Shape shape = Resized(program.shape(id), program.shape(id).dims());
  const layout::Shape small = Resized(shape, program.shape(program.operand(model, 0)).dims());
  std::vector<InstructionId> repeated;
  for (const InstructionId operand : program.operands(id)) {
    const bool is_scalar = IsScalar(program, program.operand(operand, 0));
    if (!is_scalar && DimensionsOf(program, operand) != dimensions) return kNoId;
    repeated.push_back(program.operand(operand, 0));
  }
  for (InstructionId& x : repeated) {
    if (IsScalar(program, x))
      x = InEachElement(program, x, Resized(program.shape(x), small.dims()));
  }
  return AddBroadcast(program, program.Clone(id, repeated, small), shape, dimensions);
}

}  // namespace tessera::target
