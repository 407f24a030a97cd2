// An operation cut in two: what each half reads, and what both read.
//
//   CutInTwo(signature, bytes, 0, 8)->shared   // bytes of each operand
#ifndef TESSERA_TESTING_PROJECTION_CUT_IN_TWO_H_
#define TESSERA_TESTING_PROJECTION_CUT_IN_TWO_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/projection/partition/incremental.h"
#include "tessera/projection/signature/signature.h"

namespace tessera::projection {

struct Halving {
  int axis;
  int64_t at;
  std::vector<int64_t> read_first, read_second, shared;  // for each operand; shared: read by both
};
// The whole operation cut in two along `axis`, the first part ending at `at`.
absl::StatusOr<Halving> CutInTwo(const Signature& s, const ElementBytes& bytes, int axis,
                                 int64_t at);

}  // namespace tessera::projection

#endif  // TESSERA_TESTING_PROJECTION_CUT_IN_TWO_H_
