// The common parts of gather and scatter: batch dimensions, window dimensions, and starts that an
// index tensor holds.
#ifndef TESSERA_PROJECTION_SIGNATURES_INDEXED_INDEXED_H_
#define TESSERA_PROJECTION_SIGNATURES_INDEXED_INDEXED_H_

#include <optional>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/projection/signatures/rule.h"

namespace tessera::projection {

// The dimensions of gather and scatter in one vocabulary. "Outer" is the tensor with batch and
// window dimensions: the result of a gather, the updates of a scatter.
struct Indexed {
  std::vector<int> batch_dims;        // of outer, ascending
  std::vector<int> index_batch_dims;  // of the indices: all but index_vector_dim, ascending; pairs
                                      // with batch_dims
  std::vector<int> window_dims;       // of outer, as listed
  std::vector<int> window_data_dims;  // of the data: neither collapsed nor batching, ascending;
                                      // pairs with window_dims
  std::vector<int> start_dims;  // of the data: which dimension component k of a start belongs to
  std::vector<int> data_batch_dims;  // of the data
  std::vector<int>
      data_batch_outer;  // for each of them the outer dimension that holds its coordinate
  int index_vector_dim = 0;
  ZPoint data, indices;  // shapes
  ZPoint slice;          // extent of the window in each data dimension, 1 where it has none

  bool IsIndexed(int data_dim) const;
  // The outer dimension of the window over `data_dim`; -1 for none.
  int WindowDimOf(int data_dim) const;
};

Indexed IndexedOfGather(const OpContext& op);
Indexed IndexedOfScatter(const OpContext& op);

// The start of every batch position, row-major over the batch, in data dimensions (not clamped; 0
// where not indexed, the batch coordinate in batching dimensions). None when operand `k` is no
// constant, or has above `limit` positions.
std::optional<std::vector<ZPoint>> ConstantStarts(const OpContext& op, int k, const Indexed& x,
                                                  int64_t limit);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_SIGNATURES_INDEXED_INDEXED_H_
