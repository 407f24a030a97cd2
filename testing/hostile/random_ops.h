// Operations that RandomModule() puts into a module: each takes operands that are there, or makes
// some, and adds what fits them.

#ifndef TESSERA_TESTING_HOSTILE_RANDOM_OPS_H_
#define TESSERA_TESTING_HOSTILE_RANDOM_OPS_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "tessera/testing/hostile/module_maker.h"
#include "tessera/text/checked.h"

namespace tessera::testing::hostile {

struct RandomOp {
  void (*add)(ModuleMaker&);
  int weight;  // how often, beside the others
};

absl::Span<const RandomOp> ElementwiseOps();
absl::Span<const RandomOp> ContractionOps();
absl::Span<const RandomOp> IndexingOps();
absl::Span<const RandomOp> ControlFlowOps();
absl::Span<const RandomOp> OtherOps();
absl::Span<const RandomOp> StrangeOps();

// Adds up to eight operations; fewer where computations are deeply nested.
void FillAtRandom(ModuleMaker& m);

template <size_t N>
const char* OneOf(ModuleMaker& m, const char* const (&words)[N]) {
  return words[m.RandomBelow(N)];
}

// Saturates, as sizes may be huge.
inline int64_t Times(int64_t a, int64_t b) {
  int64_t product = 0;
  return MultiplyFits(a, b, &product) ? product : int64_t{1} << 62;
}

inline int64_t Plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  return AddFits(a, b, &sum) ? sum : a;
}

}  // namespace tessera::testing::hostile

#endif  // TESSERA_TESTING_HOSTILE_RANDOM_OPS_H_
