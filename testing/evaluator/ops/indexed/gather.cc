// Gather: windows of the operand at starts that are data, put side by side.
#include <algorithm>

#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/ops/indexed/indexed.h"

namespace tessera::testing::evaluator {

ZPoint StartOf(const Array& indices, const ZPoint& batch, int64_t index_vector_dim,
               const IntList& start_map, int rank) {
  ZPoint start = ZPoint::Filled(rank, 0);
  for (size_t k = 0; k < start_map.size(); ++k) {
    ZPoint at;
    for (int d = 0, b = 0; d < indices.rank(); ++d)
      at.push_back(d == index_vector_dim ? static_cast<int64_t>(k) : batch[b++]);
    start[static_cast<int>(start_map[k])] = indices.At(at).i;
  }
  return start;
}

void AddBatch(const IntList& data_dims, const IntList& index_dims, int64_t index_vector_dim,
              const ZPoint& batch, ZPoint* start) {
  for (size_t k = 0; k < data_dims.size(); ++k) {
    const int64_t place = index_dims[k] - (index_dims[k] > index_vector_dim ? 1 : 0);
    (*start)[static_cast<int>(data_dims[k])] = batch[static_cast<int>(place)];
  }
}

absl::StatusOr<Value> Gather(const Op& op) {
  const hlo::GatherDimensions d = hlo::GetGatherDimensions(op.module, op.id);
  const Array &data = op.in(0), &indices = op.in(1);
  IntList collapsed = d.collapsed_slice_dims;
  collapsed.insert(collapsed.end(), d.operand_batching_dims.begin(), d.operand_batching_dims.end());
  const IntList window_dims = Others(data.rank(), collapsed);
  const IntList batch_dims = Others(static_cast<int>(op.shape().rank()), d.offset_dims);
  return Gathered(op, 0, [&](const ZPoint& o) {
    const ZPoint batch = Pick(o, batch_dims);
    ZPoint at = StartOf(indices, batch, d.index_vector_dim, d.start_index_map, data.rank());
    for (int r = 0; r < data.rank(); ++r)
      at[r] = std::clamp<int64_t>(at[r], 0, data.dims[r] - d.slice_sizes[r]);
    AddBatch(d.operand_batching_dims, d.start_indices_batching_dims, d.index_vector_dim, batch,
             &at);
    for (size_t w = 0; w < window_dims.size(); ++w)
      at[static_cast<int>(window_dims[w])] += o[static_cast<int>(d.offset_dims[w])];
    return at;
  });
}

}  // namespace tessera::testing::evaluator
