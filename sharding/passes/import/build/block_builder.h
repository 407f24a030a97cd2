// BlockBuilder: one computation becomes one block. See build_program.h for what it makes and
// build_program.cc for how.

#ifndef TESSERA_SHARDING_PASSES_IMPORT_BUILD_BLOCK_BUILDER_H_
#define TESSERA_SHARDING_PASSES_IMPORT_BUILD_BLOCK_BUILDER_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/leaves.h"
#include "tessera/layout/shape.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/passes/queries/purity.h"

namespace tessera::sharding::passes {

// State that the builders of all blocks share.
struct ModuleTables {
  explicit ModuleTables(const hlo::Module& module) : purity(module) {}

  // The function of each called computation.
  absl::flat_hash_map<hlo::ComputationId, Function*> functions;
  InstructionPurity purity;
};

class BlockBuilder {
 public:
  // `block` is empty but for its source.
  BlockBuilder(HloProgram* program, ModuleTables* tables, Block* block)
      : program_(*program), module_(program->module()), tables_(*tables), block_(block) {}

  void Build();

 private:
  // Of one instruction: most have few.
  using Values = absl::InlinedVector<Value*, 4>;
  // Adds the ops of one instruction and enters its leaves in the table.
  using Handler = void (BlockBuilder::*)(hlo::InstructionId);
  static Handler HandlerOf(hlo::Opcode opcode);

  void Generic(hlo::InstructionId id);
  void Tuple(hlo::InstructionId id);
  void GetElement(hlo::InstructionId id);
  void Constant(hlo::InstructionId id);
  void While(hlo::InstructionId id);
  void Conditional(hlo::InstructionId id);
  void Call(hlo::InstructionId id);
  void OptBarrier(hlo::InstructionId id);
  void Convert(hlo::InstructionId id);
  void Broadcast(hlo::InstructionId id);
  void Convolution(hlo::InstructionId id);
  void RngBitGenerator(hlo::InstructionId id);

  void AddParameters();
  void AddReturn();

  // An operand that is no tuple.
  Value* Operand(hlo::InstructionId id, size_t i) {
    return table_->Get(module_.operands(id)[i])[0];
  }
  // The leaves of all operands, good until the next call.
  const Values& OperandLeaves(hlo::InstructionId id);

  Op* Add(OpKind kind, hlo::InstructionId id, absl::Span<Value* const> operands,
          absl::Span<const layout::Shape* const> results, OpPart part = OpPart::kWhole);
  // An op that is all of the instruction, with its leaves as results.
  Op* AddWhole(OpKind kind, hlo::InstructionId id, absl::Span<Value* const> operands);
  // Records the results of the op as the values of the instruction.
  void Enter(hlo::InstructionId id, const Op* op);

  Block* AddRegion(Op* op, hlo::ComputationId computation);
  Value* Widened(hlo::InstructionId id, Value* value, const Value* other);

  HloProgram& program_;
  const hlo::Module& module_;
  ModuleTables& tables_;
  Block* block_;
  InstructionValues* table_ = nullptr;
  Values leaves_;  // room for OperandLeaves
  layout::LeafNumbers leaf_numbers_;
};

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_BUILD_BLOCK_BUILDER_H_
