// Opcodes that read or write at indices: slices, gather, scatter. Every dimension number is in
// range and none comes twice where it may not; sizes of windows and batches fit.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/verify/inference_context.h"
#include "tessera/hlo/verify/verifier_rules.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"
#include "tessera/text/status_macros.h"

namespace tessera::hlo {

using A = AttributeName;
using layout::Shape;

namespace {

// Start indices: a scalar for each dimension, or one array of all.
absl::Status CheckStarts(const Module& module, InstructionId id, size_t first) {
  const size_t count = module.operands(id).size() - first;
  const int64_t rank = OperandShape(module, id, 0).rank();
  const bool listed = count == 1 && OperandShape(module, id, first).rank() == 1;
  if (!listed && static_cast<int64_t>(count) != rank) {
    return Mismatch("has ", count, " start indices for ", rank, " dimensions");
  }
  for (size_t i = first; i < first + count; ++i) {
    const Shape& start = OperandShape(module, id, i);
    if (!layout::IsSigned(start.element_type()) && !layout::IsUnsigned(start.element_type())) {
      return Mismatch("start index ", i - first, " is ", ShapeText(start),
                      " but should be an integer");
    }
    if (listed ? start.dim(0) != rank : start.rank() != 0) {
      return Mismatch("start index ", i - first, " is ", ShapeText(start), " but should be ",
                      listed ? absl::StrCat("of size ", rank) : "a scalar");
    }
  }
  return absl::OkStatus();
}

absl::Status ExpectDistinct(const IntList& dims, int64_t rank, absl::string_view name) {
  if (AreDistinct(dims, rank)) return absl::OkStatus();
  return Mismatch(name, " names a dimension that is not there, or one twice");
}

// The dimension of the indices that holds the parts of an index; a scalar index has none.
absl::Status CheckIndexVector(const Shape& indices, int64_t dim, const IntList& map,
                              absl::string_view map_name) {
  if (dim < 0 || dim > indices.rank()) {
    return Mismatch("index_vector_dim=", dim, " is not a dimension of ", ShapeText(indices));
  }
  const int64_t size = dim == indices.rank() ? 1 : indices.dim(dim);
  if (size != Shape::kUnbounded && static_cast<int64_t>(map.size()) != size) {
    return Mismatch(map_name, " has ", map.size(), " entries, an index ", size, " parts");
  }
  return absl::OkStatus();
}

// Batching dimensions come in pairs of equal sizes.
absl::Status CheckBatching(const Shape& operand, const IntList& of_operand, const Shape& indices,
                           const IntList& of_indices, int64_t index_vector_dim) {
  if (of_operand.size() != of_indices.size()) {
    return Mismatch("there are ", of_operand.size(), " batching dimensions of the operand and ",
                    of_indices.size(), " of the indices");
  }
  TESSERA_RETURN_IF_ERROR(ExpectDistinct(of_indices, indices.rank(), "a batching dimension list"));
  for (size_t i = 0; i < of_operand.size(); ++i) {
    if (of_indices[i] == index_vector_dim)
      return Mismatch("index_vector_dim is not a batch dimension");
    const int64_t a = operand.dim(of_operand[i]), b = indices.dim(of_indices[i]);
    if (a != b && a != Shape::kUnbounded && b != Shape::kUnbounded) {
      return Mismatch("batching dimension ", i, " is of size ", a, " in the operand and ", b,
                      " in the indices");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckSlice(const Module& module, InstructionId id) {
  const Shape &from = OperandShape(module, id, 0), &to = module.shape(id);
  const auto slice = GetSlice(module, id);
  if (static_cast<int64_t>(slice.size()) != from.rank() || to.rank() != from.rank()) {
    return Mismatch("the slice has ", slice.size(), " ranges, the operand rank ", from.rank());
  }
  for (size_t i = 0; i < slice.size(); ++i) {
    const SliceDimension& s = slice[i];
    const bool inside = s.start >= 0 && s.start <= s.limit && s.stride > 0 &&
                        (from.is_unbounded(i) || s.limit <= from.dim(i));
    if (!inside) return Mismatch("range ", i, " leaves ", ShapeText(from));
    const int64_t size = (s.limit - s.start) / s.stride + ((s.limit - s.start) % s.stride != 0);
    if (to.dim(i) != size) return Mismatch("dimension ", i, " of the result should be ", size);
  }
  return absl::OkStatus();
}

absl::Status CheckDynamicSlice(const Module& module, InstructionId id) {
  const IntList sizes = GetInts(module, id, A::kDynamicSliceSizes).value_or(IntList());
  const Shape &from = OperandShape(module, id, 0), &to = module.shape(id);
  if (static_cast<int64_t>(sizes.size()) != from.rank() || to.rank() != from.rank()) {
    return Mismatch("dynamic_slice_sizes has ", sizes.size(), " entries, the operand rank ",
                    from.rank());
  }
  TESSERA_RETURN_IF_ERROR(CheckStarts(module, id, 1));
  for (size_t i = 0; i < sizes.size(); ++i) {
    const bool fits = sizes[i] >= 0 && (from.is_unbounded(i) || sizes[i] <= from.dim(i));
    if (!fits || to.dim(i) != sizes[i]) return Mismatch("size ", i, " does not fit");
  }
  return absl::OkStatus();
}

absl::Status CheckDynamicUpdateSlice(const Module& module, InstructionId id) {
  const Shape &from = OperandShape(module, id, 0), &update = OperandShape(module, id, 1);
  if (!layout::Compatible(from, module.shape(id))) return Mismatch("the result is the operand's");
  if (update.rank() != from.rank()) return Mismatch("the update has another rank");
  TESSERA_RETURN_IF_ERROR(CheckStarts(module, id, 2));
  for (int64_t i = 0; i < from.rank(); ++i) {
    if (update.dim(i) > from.dim(i)) return Mismatch("the update is larger than the operand");
  }
  return absl::OkStatus();
}

absl::Status CheckGather(const Module& module, InstructionId id) {
  const GatherDimensions g = GetGatherDimensions(module, id);
  const Shape &from = OperandShape(module, id, 0), &indices = OperandShape(module, id, 1);
  TESSERA_RETURN_IF_ERROR(
      CheckIndexVector(indices, g.index_vector_dim, g.start_index_map, "start_index_map"));
  TESSERA_RETURN_IF_ERROR(ExpectDistinct(Joined(g.start_index_map, g.operand_batching_dims),
                                         from.rank(), "start_index_map"));
  const IntList dropped = Joined(g.collapsed_slice_dims, g.operand_batching_dims);
  TESSERA_RETURN_IF_ERROR(ExpectDistinct(dropped, from.rank(), "collapsed_slice_dims"));
  for (int64_t d : dropped) {
    if (g.slice_sizes[d] > 1) return Mismatch("dimension ", d, " of the slice cannot be dropped");
  }
  return CheckBatching(from, g.operand_batching_dims, indices, g.start_indices_batching_dims,
                       g.index_vector_dim);
}

absl::Status CheckScatter(const Module& module, InstructionId id) {
  const ScatterDimensions s = GetScatterDimensions(module, id);
  const size_t inputs = module.operands(id).size() / 2;
  const Shape &to = OperandShape(module, id, 0), &indices = OperandShape(module, id, inputs);
  const Shape& updates = OperandShape(module, id, inputs + 1);
  TESSERA_RETURN_IF_ERROR(CheckIndexVector(
      indices, s.index_vector_dim, s.scatter_dims_to_operand_dims, "scatter_dims_to_operand_dims"));
  TESSERA_RETURN_IF_ERROR(
      ExpectDistinct(Joined(s.scatter_dims_to_operand_dims, s.input_batching_dims), to.rank(),
                     "scatter_dims_to_operand_dims"));
  const IntList dropped = Joined(s.inserted_window_dims, s.input_batching_dims);
  TESSERA_RETURN_IF_ERROR(ExpectDistinct(dropped, to.rank(), "inserted_window_dims"));
  TESSERA_RETURN_IF_ERROR(
      ExpectDistinct(s.update_window_dims, updates.rank(), "update_window_dims"));
  const int64_t window = static_cast<int64_t>(s.update_window_dims.size());
  const int64_t batch = indices.rank() - (s.index_vector_dim < indices.rank() ? 1 : 0);
  if (window + static_cast<int64_t>(dropped.size()) != to.rank() ||
      updates.rank() != window + batch) {
    return Mismatch("windows of ", ShapeText(updates), " do not fit into ", ShapeText(to));
  }
  for (size_t i = 1; i < inputs; ++i) {
    if (!layout::CompatibleIgnoringElementType(OperandShape(module, id, i), to) ||
        !layout::CompatibleIgnoringElementType(OperandShape(module, id, inputs + 1 + i), updates)) {
      return Mismatch("input or updates ", i, " are not of the sizes of the first");
    }
  }
  return CheckBatching(to, s.input_batching_dims, indices, s.scatter_indices_batching_dims,
                       s.index_vector_dim);
}

}  // namespace tessera::hlo
