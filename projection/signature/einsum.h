// Signatures from a line of text, for operations that nobody but their author knows.
//
//   // a matrix product, and a convolution of taps k with stride 2
//   SignatureFromText("ij,jk->ik", {{4, 8}, {8, 6}}, {{4, 6}});
//   SignatureFromText("x*2+k:3 c,k c->x c", ...);
//
// Each operand is a list of dimensions, each dimension an axis (one letter), or `x*2+k:3`: axis x
// with stride 2 and a window of 3 taps k. Blanks between dimensions are allowed. Axes of the
// results are parallel, the others are folded into regions; `*` in place of a dimension is the
// whole of it.
//
// Cost: linear in the text. Tested by einsum_test.cc.
#ifndef TESSERA_PROJECTION_SIGNATURE_EINSUM_H_
#define TESSERA_PROJECTION_SIGNATURE_EINSUM_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/projection/signature/signature.h"

namespace tessera::projection {

// kParse, kRankMismatch (a list and its shape), kBadShape (an axis with two extents).
absl::StatusOr<Signature> SignatureFromText(absl::string_view text,
                                            absl::Span<const ZPoint> operands,
                                            absl::Span<const ZPoint> results);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_SIGNATURE_EINSUM_H_
