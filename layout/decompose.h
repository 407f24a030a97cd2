// A layout as a short list of ops on a plain row-major array: transpose, pad, reshape.
//
//   Decompose(f32[3,5]{1,0:T(2,2)}):
//     pad high=[1,1]                  -> [4,6]
//     reshape                         -> [2,2,3,2]
//     transpose perm=[0,2,1,3]        -> [2,3,2,2]
//     reshape                         -> [24]
//
// The result of the last op, row by row, is the memory of the array. An empty list means that the
// array already is its memory. Only pads and the transposes move data; the reshapes are bitcasts.

#ifndef TESSERA_LAYOUT_DECOMPOSE_H_
#define TESSERA_LAYOUT_DECOMPOSE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/tiling.h"

namespace tessera::layout {

enum class ArrayOpKind { kTranspose, kReshape, kPad, kSlice };

struct ArrayOp {
  ArrayOpKind kind = ArrayOpKind::kReshape;
  // kTranspose: output dimension i is input dimension argument[i]. kPad: how much is added after
  // each dimension. kSlice: how much is kept of each. kReshape: empty.
  Sizes64 argument;
  Sizes64 dims;  // sizes after the op

  friend bool operator==(const ArrayOp& a, const ArrayOp& b) {
    return a.kind == b.kind && a.argument == b.argument && a.dims == b.dims;
  }
};

// "transpose", "reshape", "pad", "slice"; and the name of the argument: "perm", "", "high",
// "limit".
absl::string_view ArrayOpName(ArrayOpKind kind);
absl::string_view ArrayOpArgumentName(ArrayOpKind kind);

// The ops from the logical array (row-major) to its memory. Errors: those of IndexMap::Create.
absl::StatusOr<std::vector<ArrayOp>> Decompose(const Shape& array);

// The way back, for ops that begin at sizes `dims`: a pad becomes a slice.
std::vector<ArrayOp> Invert(absl::Span<const ArrayOp> ops, absl::Span<const int64_t> dims);

// An HLO module with one instruction for each op, for a look or for a run.
absl::StatusOr<std::string> DecomposeToHlo(const Shape& array);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_DECOMPOSE_H_
