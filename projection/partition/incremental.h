// The bytes of a block, and those of one index more: the numbers that decide where to cut.
//
//   ElementBytes bytes = {{4, 4}, {4}};     // of operands, of results
//   absl::StatusOr<BlockBytes> b = BytesOfBlock(signature, bytes, block);
//   absl::StatusOr<std::vector<Growth>> g = GrowByOne(signature, bytes, block);
//   (*g)[2].read                            // for each operand, one more along axis 2
//
// All are differences of exact sets, so gaps between strided regions cost nothing and shared cells
// are paid once.
#ifndef TESSERA_PROJECTION_PARTITION_INCREMENTAL_H_
#define TESSERA_PROJECTION_PARTITION_INCREMENTAL_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/projection/signature/signature.h"

namespace tessera::projection {

struct ElementBytes {
  std::vector<int64_t> operands, results;  // as many as the signature has
};

struct BlockBytes {
  std::vector<int64_t> read;  // for each operand
  int64_t written = 0;        // all results
  int64_t intermediate = 0;   // storage inside the operation
  absl::StatusOr<int64_t> total() const;
};
absl::StatusOr<BlockBytes> BytesOfBlock(const Signature& s, const ElementBytes& bytes,
                                        const ZRange& block);

struct Growth {
  int axis;
  bool at_end = false;  // the block ends where the axis ends: nothing to add, the rest is zero
  std::vector<int64_t> read;  // increase
  int64_t written = 0;
};
// One more index at the end of the block, for each axis.
absl::StatusOr<std::vector<Growth>> GrowByOne(const Signature& s, const ElementBytes& bytes,
                                              const ZRange& block);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_PARTITION_INCREMENTAL_H_
