// The five levels of op priority: which ops may move, and along which factors and directions.
//
//   LevelDirections(2, OpPriorityClass::kOther, false);  // {pass_through: kBoth, other: kNone}
//
//   level  adds
//   0      pass-through ops whose non-scalar operands all have exactly one use: every factor
//   1      pass-through ops, however often their operands are used
//   2      every op: pass-through factors (BACKWARD only for broadcasts)
//   3      every op: every factor (BACKWARD only for broadcasts)
//   4      every op: every factor, both ways
//
// A level includes what the levels before it allow. Dynamic slices count as pass-through ops, but
// FORWARD only.

#ifndef TESSERA_SHARDING_PROPAGATION_RUN_LEVELS_H_
#define TESSERA_SHARDING_PROPAGATION_RUN_LEVELS_H_

#include "tessera/sharding/propagation/numbered_program.h"
#include "tessera/sharding/propagation/step/direction.h"

namespace tessera::sharding::propagation {

inline constexpr int kNumLevels = 5;

// Directions of an op of class `flow` at `level` (0 .. 4). `single_use`: each operand that is not a
// scalar has one use.
Directions LevelDirections(int level, OpPriorityClass flow, bool single_use);

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_RUN_LEVELS_H_
