// Projections in the notation of XLA's indexing analysis, for those who read it daily.
//
//   IndexingMapText(p, index)
//   // (d0, d1)[s0] -> (s0, d0), domain: d0 in [0, 9], d1 in [0, 4], s0 in [0, 255]
//
// d are the index axes, s the cells of the region: one for each dimension of the tensor in which
// the region has more than one; {rt0} a start that is data. Bounds are inclusive. Cells that a
// dilation skips or a policy drops stand as constraints after the variables, sorted by their text.
// A map that reaches no cell is "KNOWN EMPTY".
#ifndef TESSERA_PROJECTION_SIGNATURE_INDEXING_MAP_H_
#define TESSERA_PROJECTION_SIGNATURE_INDEXING_MAP_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "tessera/projection/signature/signature.h"

namespace tessera::projection {

// Over the indices of `index`, of the rank of the projection.
std::string IndexingMapText(const ZProjection& p, const ZRange& index,
                            absl::Span<const RuntimeStart> starts = {});

// Of every map of every operand: "operand 0: ..." a line. What is no projection says what it is.
std::string IndexingMapsText(const Signature& s);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_SIGNATURE_INDEXING_MAP_H_
