// Every consumer of a constant expression gets an expression of its own.
//
//   b = broadcast(c); n = add(b, b)         three private copies of c and b, two of n: each user of
//   u = f(n); v = g(n); return b       ->   n reads its own n', each n' its own b' (twice), the
//                                           return a b of its own
//
// What users do to the sharding of "their" zeros then cannot bind the zeros of others. Broadcasts
// of scalars that are no constants are copied in the same way. Scalars are shared.

#ifndef TESSERA_SHARDING_PASSES_PREPARE_CONSTANTS_H_
#define TESSERA_SHARDING_PASSES_PREPARE_CONSTANTS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// Some 2 GB of copies; programs need thousands.
inline constexpr int64_t kMaxConstantCopies = 4'000'000;

// InvalidArgument (text::ErrorAt) at the consumer with whose copies there are more than
// kMaxConstantCopies: a long chain of constants that many ops read.
absl::Status SplitConstants(HloProgram* program);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_PREPARE_CONSTANTS_H_
