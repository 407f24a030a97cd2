// convert(broadcast(x))                                 ->  broadcast(convert(x))
// multiply(broadcast(x), broadcast(y)), alike           ->  broadcast(multiply(x, y))
// add(broadcast(x), broadcast(s)), s a scalar           ->  broadcast(add(x, broadcast(s)))
// multiply(iota of several dimensions, broadcast(s))    ->  broadcast(multiply(iota of one, broadcast(s)))
//
// So with all that is element-wise but select, of any number of such operands. Probes of the compilers of GPUs and TPUs
// agree on these forms; they leave a select where it is.

#include <cstdint>
#include <optional>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

// What an operand repeats, and where the dimensions of that lie. An iota repeats one of a dimension.
struct Repeated {
  InstructionId x = kNoId;  // the iota itself
  IntList dimensions;
};

std::optional<Repeated> RepeatedBy(const DeviceProgram& program, InstructionId operand) {
  if (program.opcode(operand) == Opcode::kBroadcast)
    return Repeated{program.operand(operand, 0), DimensionsOf(program, operand)};
  const bool is_iota =
      program.opcode(operand) == Opcode::kIota && program.shape(operand).rank() > 1;
  if (!is_iota) return std::nullopt;
  return Repeated{
      operand, {hlo::GetInt(program.module(), operand, AttributeName::kIotaDimension).value_or(0)}};
}

// Each element once, in `sizes`.
InstructionId CellsOf(DeviceProgram& program, const Repeated& repeated, const IntList& sizes) {
  const InstructionId x = repeated.x;
  const layout::Shape cells = Resized(program.shape(x), sizes);
  if (repeated.dimensions.empty()) return InEachElement(program, x, cells);
  if (program.opcode(x) != Opcode::kIota || program.shape(x).rank() == 1) return x;
  const InstructionId iota = program.Add(program.computation(x), Opcode::kIota, "iota", cells, {});
  program.SetAttribute(iota, AttributeName::kIotaDimension, "0");
  return iota;
}

}  // namespace

InstructionId CalculateBeforeBroadcast(DeviceProgram& program, InstructionId id) {
  std::vector<Repeated> operands;
  IntList dimensions;
  for (const InstructionId operand : program.operands(id)) {
    const std::optional<Repeated> repeated = RepeatedBy(program, operand);
    if (!repeated.has_value()) return kNoId;
    if (dimensions.empty()) dimensions = repeated->dimensions;
    if (!repeated->dimensions.empty() && repeated->dimensions != dimensions) return kNoId;
    operands.push_back(*repeated);
  }
  if (operands.empty()) return kNoId;
  const layout::Shape shape = Resized(program.shape(id), program.shape(id).dims());
  IntList sizes;
  for (const int64_t d : dimensions) sizes.push_back(shape.dim(d));
  std::vector<InstructionId> cells;
  for (const Repeated& operand : operands) cells.push_back(CellsOf(program, operand, sizes));
  return AddBroadcast(program, program.Clone(id, cells, Resized(shape, sizes)), shape, dimensions);
}

}  // namespace tessera::target
