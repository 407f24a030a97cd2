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
  // `module` must outlive this object and not change.
  explicit InstructionPurity(const hlo::Module& module)
      : module_(module), computations_(module.num_computations(), Known::kNot) {}

  // Whether the instruction can be removed without users, by its called computations too.
  bool Of(hlo::InstructionId id);

 private:
  enum class Known : uint8_t { kNot, kPure, kImpure };

  bool OfComputation(hlo::ComputationId id);

  const hlo::Module& module_;
  std::vector<Known> computations_;
};

// The same for an op, by the current content of its blocks. Constraints have an effect until they
// become reshards.
bool IsPure(const Op& op);

// Erases ops without users, inner blocks included, from the end: one sweep removes a chain of them.
// Calls `on_dead(Op*)` before each erasure.
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
