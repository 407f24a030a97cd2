// broadcast(x[8,1]) of [8,1,16]        ->  broadcast(reshape(x) of [8])
// broadcast that adds no elements      ->  reshape, where the order of its dimensions stays
// broadcast(broadcast(x))              ->  broadcast(x)
// broadcast(iota)                      ->  iota
// broadcast(reshape(x)), ones put in   ->  broadcast(x): the reshape without ones is x again

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

InstructionId WithoutOnes(DeviceProgram& program, InstructionId x, const IntList& places,
                          const layout::Shape& shape) {
  const layout::Shape narrow = program.shape(x);
  IntList kept;
  for (int64_t d = 0; d < narrow.rank(); ++d) {
    if (narrow.dim(d) != 1) kept.push_back(places[d]);
  }
  const InstructionId small = ReshapeTo(program, x, Resized(narrow, SizesWithoutOnes(narrow)));
  return AddBroadcast(program, small, shape, kept);
}

InstructionId OfBroadcast(DeviceProgram& program, InstructionId inner, const IntList& places,
                          const layout::Shape& shape) {
  IntList through;
  for (const int64_t d : DimensionsOf(program, inner)) through.push_back(places[d]);
  return AddBroadcast(program, program.operand(inner, 0), shape, through);
}

InstructionId OfIota(DeviceProgram& program, InstructionId iota, const IntList& places,
                     const layout::Shape& shape) {
  const auto along = hlo::GetInt(program.module(), iota, AttributeName::kIotaDimension);
  const InstructionId wide =
      program.Add(program.computation(iota), Opcode::kIota, "iota", shape, {});
  program.SetAttribute(wide, AttributeName::kIotaDimension,
                       absl::StrCat(places[along.value_or(0)]));
  return wide;
}

}  // namespace

InstructionId SimplifyBroadcast(DeviceProgram& program, InstructionId broadcast) {
  const InstructionId x = program.operand(broadcast, 0);
  const bool adds_none = program.shape(broadcast).NumElements() == program.shape(x).NumElements();
  const bool is_made =
      program.opcode(x) == Opcode::kBroadcast || program.opcode(x) == Opcode::kIota;
  if (!adds_none && !is_made && !HasOnes(program.shape(x))) return kNoId;
  const layout::Shape shape = Resized(program.shape(broadcast), program.shape(broadcast).dims());
  const IntList places = DimensionsOf(program, broadcast);
  if (adds_none) {
    if (!absl::c_is_sorted(places)) return kNoId;
    return ReshapeTo(program, x, shape);
  }
  if (program.opcode(x) == Opcode::kBroadcast) return OfBroadcast(program, x, places, shape);
  if (program.opcode(x) == Opcode::kIota) return OfIota(program, x, places, shape);
  return WithoutOnes(program, x, places, shape);
}

}  // namespace tessera::target
