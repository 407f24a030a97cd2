// BlockBuilder: one computation becomes one block. See build_program.h for what it makes and
// build_program.cc for how.

#ifndef TESSERA_SHARDING_PASSES_IMPORT_BUILD_BLOCK_BUILDER_H_
#define TESSERA_SHARDING_PASSES_IMPORT_BUILD_BLOCK_BUILDER_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"
#include "tessera/sharding/passes/import/build/tuples.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/passes/queries/purity.h"

namespace tessera::sharding::passes {

// What the builders of all blocks share.
struct ModuleTables {
  explicit ModuleTables(const hlo::Module& module) : purity(module) {}

  // The function of each computation that is called as a whole.
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
  using Values = ValueList;
  // Adds the ops of one instruction and enters its leaves in the table. Gives the instruction's
  // value, of the instruction's shape.
  using Handler = Value* (BlockBuilder::*)(hlo::InstructionId);
  static Handler HandlerOf(hlo::Opcode opcode);

  Value* Generic(hlo::InstructionId id);
  Value* Tuple(hlo::InstructionId id);
  Value* GetElement(hlo::InstructionId id);
  Value* Constant(hlo::InstructionId id);
  Value* While(hlo::InstructionId id);
  Value* Conditional(hlo::InstructionId id);
  Value* Call(hlo::InstructionId id);
  Value* OptBarrier(hlo::InstructionId id);
  Value* Convert(hlo::InstructionId id);
  Value* Broadcast(hlo::InstructionId id);
  Value* Convolution(hlo::InstructionId id);
  Value* RngBitGenerator(hlo::InstructionId id);

  // The number of the first leaf of each element of the tuple, and of all its leaves.
  const std::vector<size_t>& LeafBegins(const layout::Shape& tuple);
  void AddParameters();
  void AddReturn();

  Value*& At(hlo::InstructionId id) { return values_[program_.PositionOf(id)]; }
  Value* Operand(hlo::InstructionId id, size_t i) { return At(module_.operands(id)[i]); }
  // The leaves of one operand, or of all, read from their tuples now. Those of all are good until
  // the next call.
  Values Leaves(hlo::InstructionId operand);
  const Values& OperandLeaves(hlo::InstructionId id);

  Op* Add(OpKind kind, hlo::InstructionId id, absl::Span<Value* const> operands,
          absl::Span<const layout::Shape* const> results, OpPart part = OpPart::kWhole);
  // An op that is all of the instruction, with its leaves as results.
  Op* AddWhole(OpKind kind, hlo::InstructionId id, absl::Span<Value* const> operands);
  // Enters what the instruction stands for and gives it back as one value.
  Value* Enter(hlo::InstructionId id, absl::Span<Value* const> leaves);
  Value* Enter(hlo::InstructionId id, const Op* op);

  Block* AddRegion(Op* op, hlo::ComputationId computation);
  Value* Widened(hlo::InstructionId id, Value* value, const Value* other);

  HloProgram& program_;
  const hlo::Module& module_;
  ModuleTables& tables_;
  Block* block_;
  InstructionValues* table_ = nullptr;
  std::vector<Value*> values_;  // by position in the computation
  Values leaves_;               // room for OperandLeaves
  absl::flat_hash_map<const layout::Shape*, std::vector<size_t>> leaf_begins_;
};

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_BUILD_BLOCK_BUILDER_H_
