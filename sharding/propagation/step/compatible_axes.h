// The axes along which all tensors of an op can agree to shard one factor.
//
//   // factor i: operand 0 has [a, b], operand 1 has [a], the result has [a, c]
//   CompatibleMajorAxes(table, i, Direction::kForward, axes);   // [a, b]: results follow
//   CompatibleMajorAxes(table, i, Direction::kBoth, axes);      // [a]: b and c disagree

#ifndef TESSERA_SHARDING_PROPAGATION_STEP_COMPATIBLE_AXES_H_
#define TESSERA_SHARDING_PROPAGATION_STEP_COMPATIBLE_AXES_H_

#include "tessera/sharding/axes.h"
#include "tessera/sharding/factors/projection.h"
#include "tessera/sharding/propagation/observer.h"
#include "tessera/sharding/propagation/step/direction.h"

namespace tessera::sharding::propagation {

// Fills `axes` with the longest list on which the tensors that have factor `f` agree, and beyond
// that the only one that is asked for. Forward, operands decide and results may only shorten it
// (backward: the other way round). Overflow axes do not count. `observer` may be null.
void CompatibleMajorAxes(const factors::FactorTable& table, int f, Direction direction,
                         AxisList& axes, Observer* observer = nullptr);

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_STEP_COMPATIBLE_AXES_H_
