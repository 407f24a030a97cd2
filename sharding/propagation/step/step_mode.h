// How one step is to be done: which way each factor may move, and by which strategy.

#ifndef TESSERA_SHARDING_PROPAGATION_STEP_STEP_MODE_H_
#define TESSERA_SHARDING_PROPAGATION_STEP_STEP_MODE_H_

#include <cstdint>

#include "tessera/sharding/factors/rule.h"
#include "tessera/sharding/propagation/step/direction.h"

namespace tessera::sharding::propagation {

struct StepMode {
  Directions directions;
  bool aggressive = true;     // else basic
  bool element_wise = false;  // aggressive: ranks by axes too, and caps operands by the results
  bool conservative = false;  // an axis that would end as a sub-axis ends the list of axes

  // Blocked factors stay out of it whatever `directions` says.
  Direction DirectionOf(const factors::OpShardingRule& rule, int f) const {
    if (rule.blocked(f)) return Direction::kNone;
    return rule.kind(f) == factors::FactorKind::kPassThrough ? directions.pass_through
                                                             : directions.other;
  }

  // All of it in one number, for keys.
  uint32_t code() const {
    return directions.code() | uint32_t{aggressive} << 4 | uint32_t{element_wise} << 5 |
           uint32_t{conservative} << 6;
  }
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_STEP_STEP_MODE_H_
