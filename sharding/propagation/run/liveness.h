// Liveness: which ops are still there, and how often each value is still used, while propagation
// erases the ops that turn out to be dead.
//
//   Liveness live(program);
//   if (live.IsDead(op)) {
//     live.Erase(op, [&](OpId maker) { Wake(maker); });
//   }
//   live.single_use(op);   // for op priority level 0
//
// Use counts are kept up to date by each erasure; asking is linear in the tensors of the op.

#ifndef TESSERA_SHARDING_PROPAGATION_RUN_LIVENESS_H_
#define TESSERA_SHARDING_PROPAGATION_RUN_LIVENESS_H_

#include <cstdint>
#include <vector>

#include "tessera/sharding/propagation/numbered_program.h"

namespace tessera::sharding::propagation {

class Liveness {
 public:
  // The program must outlive it.
  explicit Liveness(const NumberedProgram& program);

  bool erased(OpId o) const { return erased_[static_cast<uint32_t>(o)]; }
  // Removable, and nothing uses its results.
  bool IsDead(OpId o) const;
  // Each operand that is not a scalar has exactly one use.
  bool single_use(OpId o) const;

  // Erases `o` with all ops in its regions. `wake` is called, before the uses go, for the maker of
  // each operand that at most one other op uses.
  template <typename WakeOp>
  void Erase(OpId o, WakeOp wake) {
    for (OpId inner = program_.end_of(o) - 1; inner >= o; --inner) {
      if (erased_[inner]) continue;
      erased_[inner] = true;
      for (const ValueId v : program_.operands(inner)) {
        if (!program_.is_block_argument(v) && OtherUsers(v, inner) <= 1) wake(program_.def(v));
      }
      for (const ValueId v : program_.operands(inner)) --use_count_[v];
    }
  }

  const std::vector<bool>& erased() const { return erased_; }

 private:
  // Counts no further than 2.
  int OtherUsers(ValueId v, OpId o) const;

  const NumberedProgram& program_;
  std::vector<int32_t> use_count_;
  std::vector<bool> erased_;
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_RUN_LIVENESS_H_
