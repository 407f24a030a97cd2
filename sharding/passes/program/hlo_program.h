// The program of an HLO module (sharding/program), with what knows HLO: the module, the release
// that is imitated, and where instructions went.
//
//   HloProgram program(&module);
//   Function* f = program.AddFunction("main", module.entry_id());
//   Value* x = program.AddArg(f->body, shape);
//   Op* neg = program.AddOp({OpKind::kHlo, id}, {x}, {&shape}, InsertPoint::AtEnd(f->body));
//   program.module().instruction(neg->source).opcode;  // the same as neg->opcode
//   ForEachOp(f->body, [](Op* op) { ... });            // walk.h
//
// The module itself is never changed. Origins of ops are its instructions, those of blocks its
// computations.
//
// The values of instructions are in tables, InstructionValues (instruction_values.h): one for each
// copy of each computation, for a function that is called twice is copied. They keep values that
// the import dropped; Resolve() leads from those to the ones that took over.

#ifndef TESSERA_SHARDING_PASSES_PROGRAM_HLO_PROGRAM_H_
#define TESSERA_SHARDING_PASSES_PROGRAM_HLO_PROGRAM_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"
#include "tessera/sharding/passes/program/instruction_values.h"
#include "tessera/sharding/program/op.h"
#include "tessera/sharding/program/payload.h"
#include "tessera/sharding/program/program.h"
#include "tessera/sharding/program/value.h"
#include "tessera/sharding/reference/behaviors.h"

namespace tessera::sharding::passes {

// The parts of a program.
using program::Block;
using program::Function;
using program::HloRole;
using program::InsertPoint;
using program::Op;
using program::OpHead;
using program::OpKind;
using program::OpPart;
using program::Use;
using program::Value;
using program::ValueMap;

using program::AxesInfo;
using program::CallInfo;
using program::CallSharding;
using program::LoopInfo;
using program::ManualInfo;
using program::NamedInfo;
using program::Payload;

using program::kBoundItsOperand;
using program::kNumOpKinds;

static_assert(program::kNoOrigin == hlo::kNoId);

class HloProgram : public program::Program {
 public:
  // `module` must outlive the program.
  explicit HloProgram(const hlo::Module* module);

  const hlo::Module& module() const { return *module_; }

  // The behaviours of the imitated release of the reference; every pass reads them here.
  const reference::Behaviors& behaviors() const { return behaviors_; }
  void set_behaviors(const reference::Behaviors& behaviors) { behaviors_ = behaviors; }

  // Program::AddOp(); the op has the opcode of its source instruction.
  Op* AddOp(const OpHead& head, absl::Span<Value* const> operands,
            absl::Span<const layout::Shape* const> results, InsertPoint where);

  // --- where instructions went -------------------------------------------------------------------

  // One table for each copy of each computation; the first copies come first.
  std::deque<InstructionValues>& leaf_tables() { return leaf_tables_; }
  const std::deque<InstructionValues>& leaf_tables() const { return leaf_tables_; }
  // The table of the copy that `block` is; null if it is no copy of a computation.
  InstructionValues* TableOf(const Block* block);
  // An empty table for a block that is made from a computation.
  InstructionValues* AddTable(const Block* block);
  // Frees the memory of all tables, which must not be read any more.
  void DropTables();
  // Place of an instruction in its computation.
  uint32_t PositionOf(hlo::InstructionId id) const { return positions_[id]; }

 private:
  // The copy of a computation has a table of its own.
  void BlockCopied(const Block* block, Block* copy, const ValueMap& map) override;

  const hlo::Module* module_;
  reference::Behaviors behaviors_;
  std::vector<uint32_t> positions_;
  std::deque<InstructionValues> leaf_tables_;
  absl::flat_hash_map<const Block*, InstructionValues*> table_of_;
};

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_PROGRAM_HLO_PROGRAM_H_
