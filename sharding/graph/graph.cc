#include "tessera/sharding/graph/graph.h"

namespace tessera::sharding::graph {

Graph::Graph(const hlo::Module* module) : module_(module), positions_(module->num_instructions()) {
  for (hlo::ComputationId c = 0; c < module->num_computations(); ++c) {
    uint32_t position = 0;
    for (hlo::InstructionId id : module->computation(c).instructions) positions_[id] = position++;
  }
}

Op* Graph::AddOp(const OpHead& head, absl::Span<Value* const> operands,
                 absl::Span<const layout::Shape* const> results, InsertPoint where) {
  Op* const op = Program::AddOp(head, operands, results, where);
  // What comes from no instruction has no rule either, as a parameter.
  op->opcode = head.source == hlo::kNoId ? hlo::Opcode::kParameter
                                         : module_->instruction(head.source).opcode;
  return op;
}

InstructionValues* Graph::TableOf(const Block* block) {
  const auto it = table_of_.find(block);
  return it == table_of_.end() ? nullptr : it->second;
}

void Graph::DropTables() {
  table_of_.clear();
  leaf_tables_.clear();
}

InstructionValues* Graph::AddTable(const Block* block) {
  const size_t count = module_->computation(block->source).instructions.size();
  leaf_tables_.emplace_back(block, &positions_, count);
  return table_of_[block] = &leaf_tables_.back();
}

void Graph::BlockCopied(const Block* block, Block* copy, const ValueMap& map) {
  const InstructionValues* const table = TableOf(block);
  if (table == nullptr) return;
  InstructionValues& made = leaf_tables_.emplace_back(table->CopyFor(copy));
  table_of_[copy] = &made;
  made.ForEachValue([&](Value*& value) {
    const auto it = map.find(value->Resolve());
    if (it != map.end()) value = it->second;
  });
}

}  // namespace tessera::sharding::graph
