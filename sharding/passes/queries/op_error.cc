#include "tessera/sharding/passes/queries/op_error.h"

#include "absl/algorithm/container.h"
#include "tessera/hlo/error_at.h"

namespace tessera::sharding::passes {

hlo::InstructionId PlaceOf(const HloProgram& program, const Op* op) {
  const Block* body = op->block->function->body;
  while (op->source == hlo::kNoId && op->block->parent != nullptr) op = op->block->parent;
  return op->source != hlo::kNoId ? op->source : program.module().computation(body->source).root;
}

hlo::InstructionId PlaceOf(const HloProgram& program, const Value* value) {
  if (value->def() != nullptr) return PlaceOf(program, value->def());
  const Block* block = value->owner();
  if (block->parent != nullptr) return PlaceOf(program, block->parent);
  const hlo::Computation& computation = program.module().computation(block->source);
  for (const InstructionValues& table : program.leaf_tables()) {
    if (table.block() != block) continue;
    for (hlo::InstructionId parameter : computation.parameters) {
      if (absl::c_linear_search(table.Get(parameter), value)) return parameter;
    }
  }
  return computation.root;
}

absl::Status ErrorAtOp(const HloProgram& program, const Op* op, absl::string_view message) {
  return hlo::ErrorAtName(program.module(), PlaceOf(program, op), message);
}

absl::Status ErrorAtValue(const HloProgram& program, const Value* value,
                          absl::string_view message) {
  return hlo::ErrorAtName(program.module(), PlaceOf(program, value), message);
}

absl::Status AtOp(const HloProgram& program, const Op* op, const absl::Status& status) {
  return status.ok() ? status : ErrorAtOp(program, op, status.message());
}

}  // namespace tessera::sharding::passes
