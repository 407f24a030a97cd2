// Which tensor of one recording is which of another.
//
//   const Matching m = Match(before.entries, after.entries);
//   m.of_before[3];        // its number in `after`, or -1
//
// The numbers in names mean nothing: every version of JAX, and every instruction more, gives
// others. Without op_name the rest of the name stands for it. Two ways find tensors, and take turns
// until neither finds more:
//
//   alike       the only ones, on both sides, with the same opcode, shape, op_name and line; then
//               with less and less of these; then as many on both sides, in order
//   neighbours  who reads matched tensors, and what these are made from, compared with each other
//               only, in the same way; first those whose operands are matched alike: of four equal
//               layers each is found by its own weights
//
// Tensors left on both sides stay alone: a guess would hide changes. Shardings play no part. Cost:
// linear in entries and uses, with a constant number of hash tables. Two sides that are alike in
// all that is read here, such as two settings of one module, take one comparison. How much of
// changed programs is found: docs/golden.md. Tested by comparison_test.cc.

#ifndef TESSERA_SHARDING_EXPLAIN_GOLDEN_MATCHING_H_
#define TESSERA_SHARDING_EXPLAIN_GOLDEN_MATCHING_H_

#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/explain/golden/recording.h"

namespace tessera::sharding::golden {

struct Matching {
  std::vector<int> of_before, of_after;  // the partner, -1 for none
  int pairs = 0;
};

Matching Match(absl::Span<const Entry> before, absl::Span<const Entry> after);

}  // namespace tessera::sharding::golden

#endif  // TESSERA_SHARDING_EXPLAIN_GOLDEN_MATCHING_H_
