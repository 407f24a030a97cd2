#include "tessera/sharding/passes/program/loop_captures.h"

#include <algorithm>

#include "tessera/hlo/opcode.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::passes {

LoopCaptures::LoopCaptures(const HloProgram& program) : module_(program.module()) {
  std::vector<Op*> opened;  // of loops that come
  ForEachOp(program, [&](Op* op) {
    if (op->part == program::OpPart::kOpened) opened.push_back(op);
    if (op->kind == OpKind::kWhile) AddLoop(op, &opened);
  });
}

void LoopCaptures::AddLoop(const Op* loop, std::vector<Op*>* opened) {
  if (loop->source != hlo::kNoId) loops_.try_emplace(loop->source, loop);
  const auto here = std::partition(opened->begin(), opened->end(),
                                   [&](const Op* op) { return op->block != loop->block; });
  for (auto op = here; op != opened->end(); ++op) {
    inside_.try_emplace({loop, (*op)->operand(0)}, (*op)->result(0));
  }
  opened->erase(here, opened->end());
}

const Op* LoopCaptures::LoopAt(const InstructionValues& table, hlo::InstructionId id) const {
  const hlo::Opcode opcode = module_.instruction(id).opcode;
  if (opcode == hlo::Opcode::kParameter) return table.block()->parent;
  const auto loop = opcode == hlo::Opcode::kWhile ? loops_.find(id) : loops_.end();
  return loop == loops_.end() ? nullptr : loop->second;
}

Value* LoopCaptures::Inside(const InstructionValues& table, hlo::InstructionId id,
                            Value* value) const {
  const auto inside = inside_.find({LoopAt(table, id), value});
  return inside == inside_.end() ? value : inside->second;
}

}  // namespace tessera::sharding::passes
