// When op priorities let an op move: which op has which class is known to sharding/rules, what a
// class may do at each level to sharding/propagation.

#ifndef TESSERA_SHARDING_OP_PRIORITY_CLASS_H_
#define TESSERA_SHARDING_OP_PRIORITY_CLASS_H_

#include <cstdint>

namespace tessera::sharding {

enum class OpPriorityClass : uint8_t {
  kOther,               // pass-through factors from level 2 on, all factors from level 3 on
  kPassThrough,         // level 0 (operands used once) or 1: element-wise, reshape, transpose,
                        //   MoveToHost / MoveToDevice custom calls; edges have it by themselves
  kPassThroughForward,  // the same, FORWARD only: dynamic-slice, dynamic-update-slice
  kBroadcast,           // BACKWARD only up to level 3: broadcast_in_dim
};

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_OP_PRIORITY_CLASS_H_
