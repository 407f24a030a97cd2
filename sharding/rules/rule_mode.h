// Modes that change the rules of many ops at once.

#ifndef TESSERA_SHARDING_RULES_RULE_MODE_H_
#define TESSERA_SHARDING_RULES_RULE_MODE_H_

#include "tessera/sharding/reference/behaviors.h"

namespace tessera::sharding::rules {

struct RuleMode {
  // Never lets a sharding through where its axes might not divide a dimension evenly: concatenate,
  // convolution, pad, reduce-window, select-and-scatter, slice. XLA sets it for modules under
  // automatic SPMD partitioning.
  bool conservative = false;
  // Of the release that is imitated.
  reference::Behaviors behaviors;
};

}  // namespace tessera::sharding::rules

#endif  // TESSERA_SHARDING_RULES_RULE_MODE_H_
