// XLA: hlo_sharding_util, GetGatherScatterOperandPassthroughOperandDims and
// GetGatherScatterBatchParallelDims.

#include "tessera/sharding/partition/ops/indexed/indexed.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/ops/indexed/indexed_tilings.h"
#include "tessera/sharding/partition/ops/indexed/iota_index.h"

namespace tessera::sharding::partition {
namespace {

Dims Copied(const hlo::IntList& list) { return Dims(list.begin(), list.end()); }

bool LeavesOutput(const IndexedOp& op, int64_t dim) {
  return Contains(op.collapsed, dim) || Contains(op.operand_batch, dim);
}

// Output dimension of every index dimension but the vector.
IndexedDims Connected(const IndexedOp& op, Ints excluded) {
  IndexedDims out;
  int64_t index = 0;
  for (int64_t dim = 0; dim < op.output_rank; ++dim) {
    if (Contains(op.window, dim)) continue;
    if (index == op.index_vector_dim) ++index;
    if (!Contains(excluded, index)) {
      out.indices.push_back(index);
      out.output.push_back(dim);
    }
    ++index;
  }
  return out;
}

void FillOutput(const IndexedOp& op, IndexedDims& dims) {
  const IndexedDims all = Connected(op, {});
  for (int64_t index : dims.indices) {
    const auto at = std::find(all.indices.begin(), all.indices.end(), index);
    dims.output.push_back(At(all.output, at - all.indices.begin()));
  }
}

}  // namespace

IndexedDims ConnectedDims(const IndexedOp& op) { return Connected(op, {}); }

IndexedOp IndexedOpOfGather(const Visit& v) {
  const hlo::GatherDimensions d = hlo::GetGatherDimensions(v.module(), v.id);
  IndexedOp op;
  op.view = v.view;
  op.operand = v.operands[0].base;
  op.indices = v.operands[1].base;
  op.indices_id = v.module().operands(v.id)[1];
  op.index_map = Copied(d.start_index_map);
  op.collapsed = Copied(d.collapsed_slice_dims);
  op.operand_batch = Copied(d.operand_batching_dims);
  op.indices_batch = Copied(d.start_indices_batching_dims);
  op.window = Copied(d.offset_dims);
  op.slice_sizes = Copied(d.slice_sizes);
  op.index_vector_dim = d.index_vector_dim;
  op.output_rank = v.base->rank();
  return op;
}

IndexedOp IndexedOpOfScatter(const Visit& v) {
  const hlo::ScatterDimensions d = hlo::GetScatterDimensions(v.module(), v.id);
  const size_t count = (v.operands.size() - 1) / 2;
  const Shape& updates = *v.operands[count + 1].base;
  IndexedOp op;
  op.view = v.view;
  op.operand = v.operands[0].base;
  op.indices = v.operands[count].base;
  op.indices_id = v.module().operands(v.id)[count];
  op.index_map = Copied(d.scatter_dims_to_operand_dims);
  op.collapsed = Copied(d.inserted_window_dims);
  op.operand_batch = Copied(d.input_batching_dims);
  op.indices_batch = Copied(d.scatter_indices_batching_dims);
  op.window = Copied(d.update_window_dims);
  op.index_vector_dim = d.index_vector_dim;
  op.output_rank = updates.rank();
  int64_t next = 0;
  for (int64_t i = 0; i < op.operand->rank(); ++i) {
    op.slice_sizes.push_back(LeavesOutput(op, i) ? 1 : updates.dim(At(op.window, next++)));
  }
  return op;
}

IndexedDims OperandPassthroughDims(const IndexedOp& op, const Shape& operand, Ints slice_sizes) {
  IndexedDims out;
  int64_t next = 0;
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (LeavesOutput(op, i)) continue;
    const int64_t at = At(op.window, next++);
    if (At(slice_sizes, i) != operand.dim(i)) continue;
    out.operand.push_back(i);
    out.output.push_back(at);
  }
  return out;
}

std::optional<IndexedDims> BatchDims(const IndexedOp& op) {
  if (op.operand_batch.empty()) return std::nullopt;
  IndexedDims out = {op.operand_batch, op.indices_batch, {}};
  FillOutput(op, out);
  return out;
}

std::optional<IndexedDims> IotaBatchDims(const IndexedOp& op) {
  const std::vector<int64_t> counted = IotaIndexDims(op);
  IndexedDims out;
  for (int64_t i = 0; i < Size(counted); ++i) {
    const int64_t index = At(counted, i), operand = At(op.index_map, i);
    if (index < 0) continue;
    if (Contains(out.indices, index)) return std::nullopt;
    if (At(op.slice_sizes, operand) != 1 || Contains(op.indices_batch, index)) continue;
    if (op.operand->dim(operand) != op.indices->dim(index)) return std::nullopt;
    out.indices.push_back(index);
    out.operand.push_back(operand);
  }
  if (out.indices.empty()) return std::nullopt;
  FillOutput(op, out);
  return out;
}

IndexedDims IndexPassthroughDims(const IndexedOp& op) {
  Dims excluded = op.indices_batch;
  if (const auto counted = IotaBatchDims(op)) {
    excluded.insert(excluded.end(), counted->indices.begin(), counted->indices.end());
  }
  return Connected(op, excluded);
}

std::optional<Dims> TrivialSlicedDims(const IndexedOp& op, const Tiling& operand,
                                      Ints slice_sizes) {
  if (!operand.IsTiled()) return std::nullopt;
  Dims out;
  for (int64_t dim : op.index_map) {
    if (At(slice_sizes, dim) == 1) out.push_back(dim);
  }
  if (CutsAlong(operand, out) == 1) return std::nullopt;
  return out;
}

Dims OperandPriority(const IndexedOp& op, const Tiling& operand, Ints slice_sizes) {
  Dims out = TrivialSlicedDims(op, operand, slice_sizes).value_or(Dims());
  const IndexedDims whole = OperandPassthroughDims(op, *op.operand, slice_sizes);
  out.insert(out.end(), whole.operand.begin(), whole.operand.end());
  return out;
}

Dims IndexPriority(const IndexedOp& op) {
  Dims out;
  if (op.HasIndexVector()) out.push_back(op.index_vector_dim);
  for (int64_t i = 0; i < op.indices->rank(); ++i) {
    if (i != op.index_vector_dim && !Contains(op.indices_batch, i)) out.push_back(i);
  }
  out.insert(out.end(), op.indices_batch.begin(), op.indices_batch.end());
  return out;
}

Dims OutputPriority(const IndexedOp& op, Ints slice_sizes) {
  const IndexedDims whole = OperandPassthroughDims(op, *op.operand, slice_sizes);
  Dims out = AllExcept(op.output_rank, whole.output);
  out.insert(out.end(), whole.output.begin(), whole.output.end());
  return out;
}

absl::Status CheckManualAlike(Visit& v) {
  for (size_t i = 0; i < v.operands.size(); ++i) {
    if (v.operand(i).tiling.HasManual() == v.tiling().HasManual()) continue;
    return absl::UnimplementedError(
        absl::StrCat("operand ", i,
                     " and the result are not manual on the same axes, which is not "
                     "described; give both the same manual axes"));
  }
  return absl::OkStatus();
}

}  // namespace tessera::sharding::partition
