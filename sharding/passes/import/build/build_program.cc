// How the block of a computation is built, and why in this order.
//
// Instructions are taken in post-order (hlo::ProgramOrder); each adds its ops at the end of the
// block. What is special about an opcode is in a table of small functions (build_ops.cc,
// build_regions.cc). Every other instruction becomes one op of kind kHlo. Its operands are the
// leaves of the operands, and it has one result a leaf.
//
// For each block a table says which values each instruction stands for (instruction_values.h), one
// for each leaf. Operands are looked up there, so that tuples and their elements are entries of the
// table and no ops.
//
// Cost: linear in operands and leaves. Tested by import_test.cc in the folder above.

#include "tessera/sharding/passes/import/build/build_program.h"

#include <string>
#include <vector>

#include "tessera/hlo/builder.h"
#include "tessera/layout/leaves.h"
#include "tessera/sharding/passes/import/build/block_builder.h"
#include "tessera/sharding/passes/import/check_calls.h"
#include "tessera/sharding/passes/queries/purity.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

using hlo::ComputationId;
using hlo::InstructionId;
using hlo::Opcode;

// Computations that become functions: the entry, and targets of calls that the entry reaches
// through calls, loops and conditionals.
class FunctionFinder {
 public:
  explicit FunctionFinder(const hlo::Module& module)
      : module_(module),
        seen_(module.num_computations()),
        is_function_(module.num_computations()) {}

  // In order of the module.
  std::vector<ComputationId> Find() {
    is_function_[module_.entry_id()] = true;
    Visit(module_.entry_id());
    std::vector<ComputationId> functions;
    for (ComputationId c = 0; c < is_function_.size(); ++c) {
      if (is_function_[c]) functions.push_back(c);
    }
    return functions;
  }

 private:
  void Visit(ComputationId c) {
    if (seen_[c]) return;
    seen_[c] = true;
    for (InstructionId id : module_.computation(c).instructions) VisitCallees(id);
  }
  void VisitCallees(InstructionId id) {
    const Opcode opcode = module_.instruction(id).opcode;
    const bool is_call = IsPlainCall(module_, id);
    if (!is_call && opcode != Opcode::kWhile && opcode != Opcode::kConditional) return;
    for (ComputationId called : module_.called(id)) {
      if (is_call) is_function_[called] = true;
      Visit(called);
    }
  }

  const hlo::Module& module_;
  std::vector<bool> seen_;
  std::vector<bool> is_function_;
};

}  // namespace

void BlockBuilder::Build() {
  table_ = program_.AddTable(block_);
  AddParameters();
  for (InstructionId id : hlo::ProgramOrder(module_, block_->source)) {
    const Opcode opcode = module_.instruction(id).opcode;
    if (opcode != Opcode::kParameter) (this->*HandlerOf(opcode))(id);
  }
  AddReturn();
}

void BlockBuilder::AddParameters() {
  for (InstructionId id : module_.computation(block_->source).parameters) {
    Values leaves;
    for (const layout::Shape* leaf : layout::LeafShapes(module_.shape(id))) {
      leaves.push_back(program_.AddArg(block_, leaf));
    }
    table_->Set(id, leaves);
  }
}

void BlockBuilder::AddReturn() {
  Add(OpKind::kReturn, hlo::kNoId, table_->Get(module_.computation(block_->source).root), {});
}

const BlockBuilder::Values& BlockBuilder::OperandLeaves(InstructionId id) {
  leaves_.clear();
  for (InstructionId operand : module_.operands(id)) {
    const absl::Span<Value* const> leaves = table_->Get(operand);
    leaves_.insert(leaves_.end(), leaves.begin(), leaves.end());
  }
  return leaves_;
}

Op* BlockBuilder::Add(OpKind kind, InstructionId id, absl::Span<Value* const> operands,
                      absl::Span<const layout::Shape* const> results, OpPart part) {
  OpHead head;
  head.kind = kind;
  head.source = id;
  head.part = part;
  head.pure = id != hlo::kNoId && tables_.purity.Of(id);
  return program_.AddOp(head, operands, results, InsertPoint::AtEnd(block_));
}

Op* BlockBuilder::AddWhole(OpKind kind, InstructionId id, absl::Span<Value* const> operands) {
  const layout::Shape& shape = module_.shape(id);
  if (!shape.is_tuple()) return Add(kind, id, operands, {&shape});
  return Add(kind, id, operands, layout::LeafShapes(shape));
}

void BlockBuilder::Enter(InstructionId id, const Op* op) {
  if (op->num_results() == 1) return table_->Set(id, op->result());
  Values leaves;
  for (int i = 0; i < op->num_results(); ++i) leaves.push_back(op->result(i));
  table_->Set(id, leaves);
}

absl::Status BuildProgram(HloProgram* program) {
  const hlo::Module& module = program->module();
  TESSERA_RETURN_IF_ERROR(CheckCalls(module));
  ModuleTables tables(module);
  for (ComputationId c : FunctionFinder(module).Find()) {
    Function* f = program->AddFunction(std::string(module.computation(c).name), c);
    f->is_entry = c == module.entry_id();
    tables.functions[c] = f;
  }
  for (Function* f : program->functions()) {
    BlockBuilder(program, &tables, f->body).Build();
    f->result_shardings.resize(f->body->terminator()->operands.size(), kNoSharding);
  }
  return absl::OkStatus();
}

}  // namespace tessera::sharding::passes
