// Properties of an op for propagation beside its rule: found by sharding/rules, used by
// sharding/propagation. Its class says when op priorities let it move.

#ifndef TESSERA_SHARDING_OP_TRAITS_H_
#define TESSERA_SHARDING_OP_TRAITS_H_

#include <cstdint>

namespace tessera::sharding {

enum class OpPriorityClass : uint8_t {
  kOther,               // pass-through factors from level 2 on, all factors from level 3 on
  kPassThrough,         // level 0 (operands used once) or 1: element-wise, reshape, transpose,
                        //   MoveToHost / MoveToDevice custom calls; edges have it by themselves
  kPassThroughForward,  // the same, FORWARD only: dynamic-slice, dynamic-update-slice
  kBroadcast,           // BACKWARD only up to level 3: broadcast_in_dim
};

struct OpTraits {
  // Counts as element-wise when the aggressive strategy settles a conflict. Not all pointwise ops
  // do: an all-reduce or a custom call does not.
  bool element_wise = false;
  OpPriorityClass flow = OpPriorityClass::kOther;
};

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_OP_TRAITS_H_
