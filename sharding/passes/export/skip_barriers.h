// The value that a propagation barrier hands on. Internal to the package.
//
//   %b = barrier(%x)      SkipBarriers(b) is x
//   %c = barrier(%b)      SkipBarriers(c) is x

#ifndef TESSERA_SHARDING_PASSES_EXPORT_SKIP_BARRIERS_H_
#define TESSERA_SHARDING_PASSES_EXPORT_SKIP_BARRIERS_H_

#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

inline const Value* SkipBarriers(const Value* value) {
  while (value->def() != nullptr && value->def()->kind == OpKind::kPropagationBarrier) {
    value = value->def()->operand(0);
  }
  return value;
}

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_EXPORT_SKIP_BARRIERS_H_
