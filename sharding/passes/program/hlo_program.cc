#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

HloProgram::HloProgram(const hlo::Module* module)
    : module_(module), positions_(module->num_instructions()) {
  for (hlo::ComputationId c = 0; c < module->num_computations(); ++c) {
    uint32_t position = 0;
    for (hlo::InstructionId id : module->computation(c).instructions) positions_[id] = position++;
  }
}

Op* HloProgram::AddOp(const OpHead& head, absl::Span<Value* const> operands,
                      absl::Span<const layout::Shape* const> results, InsertPoint where) {
  Op* const op = Program::AddOp(head, operands, results, where);
  // An op without a source instruction counts as a parameter, which has no sharding rule.
  op->opcode = head.source == hlo::kNoId ? hlo::Opcode::kParameter
                                         : module_->instruction(head.source).opcode;
  return op;
}

InstructionValues* HloProgram::TableOf(const Block* block) {
  const auto it = table_of_.find(block);
  return it == table_of_.end() ? nullptr : it->second;
}

void HloProgram::DropTables() {
  table_of_.clear();
  leaf_tables_.clear();
}

InstructionValues* HloProgram::AddTable(const Block* block) {
  const size_t count = module_->computation(block->source).instructions.size();
  leaf_tables_.emplace_back(block, &positions_, count);
  return table_of_[block] = &leaf_tables_.back();
}

void HloProgram::BlockCopied(const Block* block, Block* copy, const ValueMap& map) {
  const InstructionValues* const table = TableOf(block);
  if (table == nullptr) return;
  InstructionValues& made = leaf_tables_.emplace_back(table->CopyFor(copy));
  table_of_[copy] = &made;
  made.ForEachValue([&](Value*& value) {
    const auto it = map.find(value->Resolve());
    if (it != map.end()) value = it->second;
  });
}

}  // namespace tessera::sharding::passes
