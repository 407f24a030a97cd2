// reshape(x) of the shape of x         ->  x
// reshape(reshape(x))                  ->  reshape(x)
// reshape(broadcast(x))                ->  broadcast(x), where all dimensions of x stay as they are
// transpose(transpose(x))              ->  transpose(x), or x where nothing moves
// transpose, slice, reverse or reshape of one number everywhere  ->  that number in the new shape

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

InstructionId OfBroadcast(DeviceProgram& program, InstructionId broadcast,
                          const layout::Shape& shape) {
  const InstructionId x = program.operand(broadcast, 0);
  const IntList kept = KeptByReshape(program.shape(broadcast), shape);
  IntList places;
  for (const int64_t d : DimensionsOf(program, broadcast)) {
    if (kept[d] < 0) return kNoId;
    places.push_back(kept[d]);
  }
  return AddBroadcast(program, x, shape, places);
}

InstructionId OfIota(DeviceProgram& program, InstructionId iota, const layout::Shape& shape) {
  const auto along = hlo::GetInt(program.module(), iota, AttributeName::kIotaDimension);
  const IntList kept = KeptByReshape(program.shape(iota), shape);
  if (!along.has_value() || kept[*along] < 0) return kNoId;
  const InstructionId made =
      program.Add(program.computation(iota), Opcode::kIota, "iota", shape, {});
  program.SetAttribute(made, AttributeName::kIotaDimension, absl::StrCat(kept[*along]));
  return made;
}

}  // namespace

InstructionId SimplifyReshape(DeviceProgram& program, InstructionId reshape) {
  const InstructionId x = program.operand(reshape, 0);
  const absl::Span<const int64_t> dims = program.shape(reshape).dims();
  if (program.shape(x).dims() == dims) return x;
  const Opcode opcode = program.opcode(x);
  if (opcode != Opcode::kBroadcast && opcode != Opcode::kIota && opcode != Opcode::kReshape) {
    return kNoId;
  }
  const layout::Shape shape = Resized(program.shape(reshape), dims);
  if (opcode == Opcode::kBroadcast) return OfBroadcast(program, x, shape);
  if (opcode == Opcode::kIota) return OfIota(program, x, shape);
  return ReshapeTo(program, program.operand(x, 0), shape);
}

InstructionId MergeTransposes(DeviceProgram& program, InstructionId transpose) {
  const InstructionId first = program.operand(transpose, 0);
  if (program.opcode(first) != Opcode::kTranspose) return kNoId;
  const IntList inner = DimensionsOf(program, first);
  IntList order;
  for (const int64_t d : DimensionsOf(program, transpose)) {
    order.push_back(inner[static_cast<size_t>(d)]);
  }
  return TransposeTo(program, program.operand(first, 0), order);
}

InstructionId SimplifyRearranged(DeviceProgram& program, InstructionId id) {
  const InstructionId x = program.operand(id, 0);
  if (program.opcode(x) != Opcode::kBroadcast) return kNoId;
  const InstructionId number = program.operand(x, 0);
  if (program.shape(number).rank() != 0) return kNoId;
  const layout::Shape shape = program.shape(id);
  return AddBroadcast(program, number, Resized(shape, shape.dims()), {});
}

}  // namespace tessera::target
