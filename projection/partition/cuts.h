// Where to cut an operation into a given number of parts.
//
//   CutLimits limits;
//   limits.memory = 64 << 20;                       // bytes that one part may take
//   absl::StatusOr<std::vector<CutChoice>> choices = ChooseCuts(signature, bytes, 8, limits);
//   (*choices)[0].parts                             // the best: [4, 2, 1]
//
// Every way to write the number as a product over the axes that can be cut is priced by exact
// regions. The rest is the Pareto set over (work of the slowest part, bytes moved, memory of the
// largest part). It is ordered by bytes moved, work, memory and parts; the same input always gives
// the same list.
#ifndef TESSERA_PROJECTION_PARTITION_CUTS_H_
#define TESSERA_PROJECTION_PARTITION_CUTS_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/projection/partition/incremental.h"
#include "tessera/projection/signature/signature.h"

namespace tessera::projection {

struct CutLimits {
  int64_t memory =
      std::numeric_limits<int64_t>::max();  // bytes of one part: read, written and inside
};

struct CutChoice {
  std::vector<int64_t> parts;    // of each axis
  int64_t bytes_moved = 0;       // read by all parts, and the partial results that are combined
  int64_t bytes_read_twice = 0;  // what a second part reads again
  int64_t partial_bytes = 0;  // partial results beyond the result itself; only for cut reductions
  int64_t memory = 0;         // of the largest part
  int64_t work = 0;           // indices of the largest part
  double balance = 1;         // mean work by largest work
};

// `parts` in [1, 4096]. Empty when no cut fits the memory. kOverflow, kBadChunk.
absl::StatusOr<std::vector<CutChoice>> ChooseCuts(const Signature& s, const ElementBytes& bytes,
                                                  int64_t parts, const CutLimits& limits);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_PARTITION_CUTS_H_
