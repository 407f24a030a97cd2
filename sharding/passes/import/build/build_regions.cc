// Instructions whose computations become blocks, or functions of their own.

#include <vector>

#include "tessera/sharding/passes/import/build/block_builder.h"

namespace tessera::sharding::passes {

using hlo::ComputationId;
using hlo::InstructionId;

Block* BlockBuilder::AddRegion(Op* op, ComputationId computation) {
  Block* block = program_.NewBlock(block_->function, computation);
  program_.AddBlock(op, block);
  BlockBuilder(&program_, &tables_, block).Build();
  return block;
}

void BlockBuilder::While(InstructionId id) {
  Op* op = AddWhole(OpKind::kWhile, id, OperandLeaves(id));
  LoopInfo* info = program_.NewPayload<LoopInfo>(op);
  for (int i = 0; i < op->num_results(); ++i) info->leaves.push_back(i);
  const ComputationId body = module_.called(id)[0];
  AddRegion(op, module_.called(id)[1]);
  AddRegion(op, body);
  Enter(id, op);
}

// The parameter of a branch is its operand: the argument's uses move over to the outer values, all
// branches having been built.
void BlockBuilder::Conditional(InstructionId id) {
  const absl::Span<const InstructionId> operands = module_.operands(id);
  std::vector<absl::Span<Value* const>> handed;
  for (size_t i = 1; i < operands.size(); ++i) handed.push_back(table_->Get(operands[i]));
  const bool is_if = !program_.behaviors().pred_conditionals_propagate &&
                     module_.shape(operands[0]).element_type() == layout::ElementType::kPred;
  Op* op = AddWhole(is_if ? OpKind::kPredConditional : OpKind::kCase, id, {Operand(id, 0)});
  for (ComputationId branch : module_.called(id)) AddRegion(op, branch);
  for (size_t b = 0; b < op->blocks().size(); ++b) {
    Block* block = op->blocks()[b];
    for (Value* arg : block->args) {
      Value* outer = handed[b][static_cast<size_t>(arg->index())];
      arg->ReplaceAllUsesWith(outer);
      arg->ForwardTo(outer);
    }
    program_.EraseArgs(block, std::vector<bool>(block->args.size(), true));
  }
  Enter(id, op);
}

void BlockBuilder::Call(InstructionId id) {
  const auto callee = tables_.functions.find(module_.called(id)[0]);
  if (callee == tables_.functions.end()) return Generic(id);  // a composite
  Op* op = AddWhole(OpKind::kCall, id, OperandLeaves(id));
  program_.NewPayload<CallInfo>(op)->callee = callee->second;
  Enter(id, op);
}

void BlockBuilder::OptBarrier(InstructionId id) {
  Enter(id, AddWhole(OpKind::kOptBarrier, id, OperandLeaves(id)));
}

}  // namespace tessera::sharding::passes
