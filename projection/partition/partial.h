// A reduction cut along its reduced dimension, as two operations: a map stage whose blocks reduce
// what they have, and a combine stage over their partial results.
//
//   // reduce f32[12] over dimension 0 in split form, in 4 parts
//   absl::StatusOr<SplitReduction> r = CutReduction(split_signature, 0, 4);
//   r->map        // index [block 4], reads 3 cells each, writes partial[4]
//   r->combine    // reads all of partial[4]
//
// With several reduction axes any of them can be cut; the others are summed by the map stage, and
// its `map` can be cut again along one of them. Init values are left to the combine stage, exactly
// once. Only for axes of kind kReduction: what is kOrdered has an order that is part of its
// meaning.
#ifndef TESSERA_PROJECTION_PARTITION_PARTIAL_H_
#define TESSERA_PROJECTION_PARTITION_PARTIAL_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "tessera/projection/signature/signature.h"

namespace tessera::projection {

struct SplitReduction {
  int64_t part = 0;  // indices of one part; the last ones may be shorter or empty
  Signature map;     // the reduction axis replaced by one over the parts; writes the partial tensor
  Signature combine;  // operand: the partial tensor, its last dimension the parts
};

// `axis` is one of `split`, in which all operands that it moves are projections with unit steps.
// kNotSupported, kBadDim.
absl::StatusOr<SplitReduction> CutReduction(const Signature& split, int axis, int64_t parts);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_PARTITION_PARTIAL_H_
