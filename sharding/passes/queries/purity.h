// Side effects of instructions, as the reference sees them, which is not always what one would
// guess: partition-id has none, an all-reduce has.
//
//   InstructionPurity purity(module);
//   purity.Of(id);            // reduce: true if everything in its computation is pure

#ifndef TESSERA_SHARDING_PASSES_QUERIES_PURITY_H_
#define TESSERA_SHARDING_PASSES_QUERIES_PURITY_H_

#include <cstdint>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// Looks at each computation once, however many instructions name it.
class InstructionPurity {
 public:
  // `module` must outlive this and stay as it is.
  explicit InstructionPurity(const hlo::Module& module)
      : module_(module), computations_(module.num_computations(), Known::kNot) {}

  // May be dropped when nobody uses it. Computations that the instruction names are looked at.
  bool Of(hlo::InstructionId id);

 private:
  enum class Known : uint8_t { kNot, kPure, kImpure };

  bool OfComputation(hlo::ComputationId id);

  const hlo::Module& module_;
  std::vector<Known> computations_;
};

// The same of an op, by what is in its blocks now. Constraints have an effect until they are
// reshards.
bool IsPure(const Op& op);

// Erases ops that nobody reads, blocks inside included; from the end, so that a chain of them goes
// in one sweep. `on_dead(Op*)` is called before each goes.
template <typename OnDead>
void EraseDeadOps(HloProgram* program, Block* block, const OnDead& on_dead) {
  for (Op *op = block->last, *previous; op != nullptr; op = previous) {
    previous = op->prev;
    if (!op->has_uses() && IsPure(*op)) {
      on_dead(op);
      program->Erase(op);
      continue;
    }
    for (Block* inner : op->blocks()) EraseDeadOps(program, inner, on_dead);
  }
}

// A `call` that is no composite: its target becomes a function of the program.
bool IsPlainCall(const hlo::Module& module, hlo::InstructionId id);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_QUERIES_PURITY_H_
