// StepConfigs: how each op of a program is propagated in the current run.
//
//   StepConfigs modes(program, liveness, /*conservative=*/false);
//   modes.Start({/*level=*/0, /*aggressive=*/true});
//   modes.directions(op);   // the code() of all directions that a step of `op` may have
//   modes[op];              // the StepMode of a step of `op` now
//
// Ops that are stepped alike in every run are of one class: a program has thirteen at most, and a
// run works out the modes of these. Only at level 0 it matters as well how often operands are used.

#ifndef TESSERA_SHARDING_PROPAGATION_STEP_STEP_CONFIGS_H_
#define TESSERA_SHARDING_PROPAGATION_STEP_STEP_CONFIGS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/sharding/propagation/numbered_program.h"
#include "tessera/sharding/propagation/run/liveness.h"
#include "tessera/sharding/propagation/step/step_mode.h"

namespace tessera::sharding::propagation {

inline constexpr int kAllLevels = -1;  // no op priority: everything may move

struct RunMode {
  int level = kAllLevels;
  bool aggressive = true;
};

class StepConfigs {
 public:
  // All arguments must outlive this object.
  StepConfigs(const NumberedProgram& program, const Liveness& liveness, bool conservative);

  // To be called before the first question.
  void Start(RunMode run);

  uint8_t directions(OpId o) const { return directions_[class_[o]]; }
  const StepMode& operator[](OpId o) const {
    const ClassModes& modes = modes_[class_[o]];
    return modes.differ && !liveness_.single_use(o) ? modes.many_uses : modes.single_use;
  }

 private:
  struct ClassModes {
    StepMode single_use;  // allows all that `many_uses` allows
    StepMode many_uses;
    bool differ = false;
  };
  // Ordinary ops by flow, element-wise or not; edges; barriers by direction.
  static constexpr size_t kFlows = 4;
  static constexpr size_t kEdges = 2 * kFlows;
  static constexpr size_t kBarriers = kEdges + 1;
  static constexpr size_t kClasses = kBarriers + 4;

  static size_t ClassOf(const NumberedProgram& program, OpId o);
  StepMode ModeOf(size_t op_class, RunMode run, bool single_use) const;

  const Liveness& liveness_;
  const bool conservative_;
  std::vector<uint8_t> class_;  // by op
  std::array<ClassModes, kClasses> modes_;
  std::array<uint8_t, kClasses> directions_;
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_STEP_STEP_CONFIGS_H_
