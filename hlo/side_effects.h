// Whether an instruction does more than compute its result, as HLO's own passes see it.
//
//   SideEffects effects(module);
//   effects.Of(id);       // send: yes; add: no; all-reduce: only with constrain_layout=true
//
// An instruction without side effects and users is dead. Each computation is looked at once,
// however many instructions name it.

#ifndef TESSERA_HLO_SIDE_EFFECTS_H_
#define TESSERA_HLO_SIDE_EFFECTS_H_

#include <cstdint>
#include <vector>

#include "tessera/hlo/module.h"

namespace tessera::hlo {

class SideEffects {
 public:
  // `module` must outlive this. Instructions may be added and removed as long as what a computation
  // does stays the same.
  explicit SideEffects(const Module& module) : module_(module) {}

  // Of the instruction, computations that it names included.
  bool Of(InstructionId id);

 private:
  enum class Known : uint8_t { kNot, kNone, kSome };

  bool OfComputation(ComputationId id);

  const Module& module_;
  std::vector<Known> computations_;
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_SIDE_EFFECTS_H_
