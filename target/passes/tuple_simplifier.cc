// tuple-simplifier: no tuple is taken apart that was just made, or made of what was just taken
// apart.
//
//   get-tuple-element(tuple(a, b)), index=1                      ->  b
//   tuple(get-tuple-element(t), index=0, .. all elements of t)   ->  t

#include "tessera/hlo/attributes.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/program/walk.h"

namespace tessera::target {
namespace {

// What element `id` is of; kNoId if that is no tuple that stands there.
InstructionId ElementOf(const DeviceProgram& program, InstructionId id) {
  const InstructionId tuple = program.operand(id, 0);
  if (program.opcode(tuple) != Opcode::kTuple) return kNoId;
  const auto index = static_cast<size_t>(hlo::GetTupleIndex(program.module(), id));
  return program.operand(tuple, index);
}

// The tuple whose elements `id` puts together again, in order; kNoId if there is none.
InstructionId SameTuple(const DeviceProgram& program, InstructionId id) {
  const auto elements = program.operands(id);
  if (elements.empty() || program.opcode(elements[0]) != Opcode::kGetTupleElement) return kNoId;
  const InstructionId tuple = program.operand(elements[0], 0);
  if (program.module().shape_id(tuple) != program.module().shape_id(id)) return kNoId;
  for (size_t k = 0; k < elements.size(); ++k) {
    if (program.opcode(elements[k]) != Opcode::kGetTupleElement) return kNoId;
    if (program.operand(elements[k], 0) != tuple) return kNoId;
    if (hlo::GetTupleIndex(program.module(), elements[k]) != static_cast<int64_t>(k)) return kNoId;
  }
  return tuple;
}

InstructionId ReplacementOf(const DeviceProgram& program, InstructionId id) {
  if (program.opcode(id) == Opcode::kGetTupleElement) return ElementOf(program, id);
  return program.opcode(id) == Opcode::kTuple ? SameTuple(program, id) : kNoId;
}

}  // namespace

absl::Status SimplifyTuples(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (program.IsPinned(id)) continue;
    const InstructionId replacement = ReplacementOf(program, id);
    if (replacement == kNoId) continue;
    program.ReplaceUses(id, replacement);
    program.RemoveDead(id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
