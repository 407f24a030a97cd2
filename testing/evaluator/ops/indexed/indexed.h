// The common part of gather and scatter: the start of a window.
#ifndef TESSERA_TESTING_EVALUATOR_OPS_INDEXED_INDEXED_H_
#define TESSERA_TESTING_EVALUATOR_OPS_INDEXED_INDEXED_H_

#include "tessera/hlo/attributes.h"
#include "tessera/testing/evaluator/value.h"

namespace tessera::testing::evaluator {

// The start that `indices` hold for a batch position, in data of `rank` dimensions: component k
// belongs to dimension start_map[k], other dimensions start at 0. Not clamped.
ZPoint StartOf(const Array& indices, const ZPoint& batch, int64_t index_vector_dim,
               const hlo::IntList& start_map, int rank);

// In batching dimensions of the data, the start is the batch coordinate of the paired dimension of
// the indices.
void AddBatch(const hlo::IntList& data_dims, const hlo::IntList& index_dims,
              int64_t index_vector_dim, const ZPoint& batch, ZPoint* start);

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_OPS_INDEXED_INDEXED_H_
