// Which positions of a ragged dot have group sizes of their own.
#ifndef TESSERA_PROJECTION_SIGNATURES_INDEXED_RAGGED_H_
#define TESSERA_PROJECTION_SIGNATURES_INDEXED_RAGGED_H_

#include <algorithm>

#include "tessera/hlo/attributes.h"

namespace tessera::projection {

// The dimensions of lhs that those of `group_sizes`, but for the last, stand for: batch dimensions,
// and the dimensions of the ragged one's own kind that come before it. `sizes_rank` 1: the same
// sizes everywhere.
inline hlo::IntList RaggedPrefix(const hlo::DotDimensions& d, int64_t lhs_rank,
                                 int64_t sizes_rank) {
  hlo::IntList prefix;
  if (d.lhs_ragged.empty() || sizes_rank <= 1) return prefix;
  const int64_t ragged = d.lhs_ragged[0];
  const auto has = [](const hlo::IntList& list, int64_t dim) {
    return std::find(list.begin(), list.end(), dim) != list.end();
  };
  for (int64_t dim : d.lhs_batch) {
    if (dim == ragged) return prefix;
    prefix.push_back(dim);
  }
  const bool contracting = has(d.lhs_contracting, ragged);
  for (int64_t dim : d.lhs_contracting) {
    if (dim == ragged) return prefix;
    if (contracting) prefix.push_back(dim);
  }
  for (int64_t dim = 0; dim < lhs_rank && dim < ragged; ++dim) {
    if (!has(d.lhs_batch, dim) && !has(d.lhs_contracting, dim)) prefix.push_back(dim);
  }
  return prefix;
}

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_SIGNATURES_INDEXED_RAGGED_H_
