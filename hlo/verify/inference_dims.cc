// Results of opcodes that add, drop, move or cut dimensions.

#include <algorithm>

#include "absl/algorithm/container.h"
#include "tessera/hlo/verify/inference_context.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"
#include "tessera/text/checked.h"

namespace tessera::hlo {

using A = AttributeName;
using layout::ElementType;
using layout::Shape;

namespace {}  // namespace

bool AreDistinct(const IntList& dims, int64_t rank) { return AreDistinct(dims, {}, rank); }

bool AreDistinct(const IntList& dims, const IntList& more, int64_t rank) {
  constexpr uint64_t kBits = 64;
  const uint64_t limit = static_cast<uint64_t>(rank);
  absl::InlinedVector<uint64_t, 1> seen(limit / kBits + 1);
  const auto is_new = [&](int64_t dim) {
    const uint64_t d = static_cast<uint64_t>(dim);  // a negative one is above all limits
    if (d >= limit) return false;
    uint64_t& word = seen[d / kBits];
    const uint64_t bit = uint64_t{1} << (d % kBits);
    const bool result = (word & bit) == 0;
    word |= bit;
    return result;
  };
  return std::all_of(dims.begin(), dims.end(), is_new) &&
         std::all_of(more.begin(), more.end(), is_new);
}

// XLA takes `dimensions` for sizes in front here, which is right for a scalar only; the form with
// real dimensions needs its shape written.
ShapeOr InferBroadcast(const InferenceContext& c) {
  const Shape& s = c.operand(0);
  const IntList sizes = c.dimensions();
  Shape::Dims dims(sizes.begin(), sizes.end());
  dims.insert(dims.end(), s.dims().begin(), s.dims().end());
  if (std::any_of(sizes.begin(), sizes.end(), [](int64_t d) { return d < 0; })) {
    return Mismatch("a size is negative");
  }
  return Shape::Array(s.element_type(), dims);
}

// Keeps the place of every element in memory.
ShapeOr InferTranspose(const InferenceContext& c) {
  const Shape& s = c.operand(0);
  const IntList order = c.dimensions();
  if (!s.is_array() || static_cast<int64_t>(order.size()) != s.rank() ||
      !AreDistinct(order, s.rank())) {
    return Mismatch("the dimensions are no permutation of those of ", layout::ShapeToString(s));
  }
  Shape out = s;
  IntList place(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (s.has_dynamic_dim()) out.set_dynamic(i, false);
    out.set_dim(i, s.dim(order[i]));
    if (s.has_dynamic_dim()) out.set_dynamic(i, s.is_dynamic(order[i]));
    place[order[i]] = static_cast<int64_t>(i);
  }
  if (!s.has_layout()) return out;
  for (int64_t& d : out.mutable_layout().minor_to_major) {
    if (d < 0 || d >= s.rank()) return Mismatch("the layout of the operand is not a permutation");
    d = place[d];
  }
  return out;
}

ShapeOr InferReverse(const InferenceContext& c) {
  const Shape& s = c.operand(0);
  if (!AreDistinct(c.dimensions(), s.rank())) {
    return Mismatch("a reversed dimension is not there or comes twice");
  }
  return &s;
}

ShapeOr InferConcatenate(const InferenceContext& c) {
  if (c.count() == 0) return Mismatch("concatenate needs an operand");
  const Shape& first = c.operand(0);
  const int64_t d = GetDimension(c.module, c.id).value_or(-1);
  if (d < 0 || d >= first.rank()) return Mismatch("there is no dimension ", d, " to concatenate");
  Shape out = WithType(first, first.element_type());
  for (size_t i = 1; i < c.count(); ++i) {
    const Shape& s = c.operand(i);
    if (s.rank() != first.rank()) return Mismatch("operands differ in rank");
    if (s.element_type() != first.element_type() &&
        !(layout::IsFloat(s.element_type()) && layout::IsFloat(first.element_type()))) {
      return Mismatch("operands differ in element type");
    }
    for (int64_t k = 0; k < s.rank(); ++k) {
      if (k != d && s.dim(k) != first.dim(k) && !s.is_unbounded(k) && !first.is_unbounded(k)) {
        return Mismatch("operands differ in dimension ", k);
      }
    }
    int64_t sum = Shape::kUnbounded;
    const bool open = s.is_unbounded(d) || out.is_unbounded(d);
    if (!open && !AddFits(out.dim(d), s.dim(d), &sum)) {
      return Mismatch("the size leaves 64 bits");
    }
    const bool dynamic = out.is_dynamic(d) || s.is_dynamic(d);
    out.set_dim(d, sum);
    out.set_dynamic(d, dynamic);
  }
  return out;
}

ShapeOr InferPad(const InferenceContext& c) {
  const Shape& s = c.operand(0);
  const auto padding = GetPadding(c.module, c.id);
  if (static_cast<int64_t>(padding.size()) != s.rank()) {
    return Mismatch("padding has ", padding.size(), " dimensions, the operand ", s.rank());
  }
  Shape out = WithType(s, s.element_type());
  for (int64_t i = 0; i < s.rank(); ++i) {
    if (s.is_unbounded(i)) continue;
    const PaddingDimension& p = padding[i];
    const Checked size =
        Checked(p.interior) * std::max<int64_t>(s.dim(i) - 1, 0) + s.dim(i) + p.low + p.high;
    if (!size.ok() || size.value() < 0 || p.interior < 0) {
      return Mismatch("padding gives a negative size");
    }
    const bool dynamic = s.is_dynamic(i);
    out.set_dim(i, size.value());
    out.set_dynamic(i, dynamic);
  }
  return out;
}

ShapeOr InferGather(const InferenceContext& c) {
  const GatherDimensions g = GetGatherDimensions(c.module, c.id);
  const Shape &s = c.operand(0), &indices = c.operand(1);
  if (static_cast<int64_t>(g.slice_sizes.size()) != s.rank()) {
    return Mismatch("slice_sizes has one entry a dimension of the operand");
  }
  if (g.index_vector_dim < 0 || g.index_vector_dim > indices.rank()) {
    return Mismatch("index_vector_dim is not a dimension of the indices");
  }
  Shape::Dims batch, window;
  for (int64_t i = 0; i < indices.rank(); ++i) {
    if (i != g.index_vector_dim) batch.push_back(indices.dim(i));
  }
  for (int64_t i = 0; i < s.rank(); ++i) {
    if (g.slice_sizes[i] < 0 || g.slice_sizes[i] > s.dim(i))
      return Mismatch("a slice is too large");
    if (!absl::c_linear_search(g.collapsed_slice_dims, i) &&
        !absl::c_linear_search(g.operand_batching_dims, i)) {
      window.push_back(g.slice_sizes[i]);
    }
  }
  if (window.size() != g.offset_dims.size()) return Mismatch("offset_dims and slice_sizes differ");
  Shape::Dims dims;
  const int64_t rank = static_cast<int64_t>(batch.size() + window.size());
  if (!AreDistinct(g.offset_dims, rank)) return Mismatch("offset_dims are no result dimensions");
  for (int64_t i = 0, w = 0, b = 0; i < rank; ++i) {
    dims.push_back(absl::c_linear_search(g.offset_dims, i) ? window[w++] : batch[b++]);
  }
  return Shape::Array(s.element_type(), dims);
}

ShapeOr InferScatter(const InferenceContext& c) {
  const size_t n = c.count() / 2;
  if (n <= 1) return &c.operand(0);
  std::vector<Shape> results;
  for (size_t i = 0; i < n; ++i) results.push_back(c.operand(i));
  return Shape::Tuple(std::move(results));
}

ShapeOr InferGetDimensionSize(const InferenceContext& c) {
  const int64_t d = GetDimension(c.module, c.id).value_or(-1);
  if (d < 0 || d >= c.operand(0).rank()) return Mismatch("there is no dimension ", d);
  return Shape::Array(ElementType::kS32, {});
}

ShapeOr InferSetDimensionSize(const InferenceContext& c) {
  const int64_t d = GetDimension(c.module, c.id).value_or(-1);
  Shape s = c.operand(0);
  if (d < 0 || d >= s.rank()) return Mismatch("there is no dimension ", d);
  s.set_dynamic(d, true);
  return s;
}

ShapeOr InferReduce(const InferenceContext& c) {
  const IntList reduced = c.dimensions();
  const Shape& s = c.operand(0);
  if (!AreDistinct(reduced, s.rank())) return Mismatch("a reduced dimension is not there");
  Shape::Dims dims;
  for (int64_t i = 0; i < s.rank(); ++i) {
    if (!absl::c_linear_search(reduced, i)) dims.push_back(s.dim(i));
  }
  const auto with_flags = [&](ElementType type) {
    Shape out = Shape::Array(type, dims);
    if (!s.has_dynamic_dim()) return out;
    for (int64_t i = 0, k = 0; i < s.rank(); ++i) {
      if (!absl::c_linear_search(reduced, i)) out.set_dynamic(k++, s.is_dynamic(i));
    }
    return out;
  };
  const Shape& result = c.callee_result();
  if (!result.is_tuple()) return with_flags(result.element_type());
  std::vector<Shape> results;
  for (const Shape& r : result.tuple_elements()) results.push_back(with_flags(r.element_type()));
  return Shape::Tuple(std::move(results));
}

std::optional<int64_t> WindowedSize(int64_t size, const WindowDimension& w) {
  const auto dilate = [](int64_t n, int64_t by) {
    return n == 0 ? Checked(0) : Checked(n - 1) * by + 1;
  };
  if (w.size <= 0 || w.stride <= 0 || w.base_dilation < 1 || w.window_dilation < 1) {
    return std::nullopt;
  }
  const Checked window = dilate(w.size, w.window_dilation);
  const Checked padded = dilate(size, w.base_dilation) + w.padding_low + w.padding_high;
  const Checked steps = padded - window;
  if (!steps.ok()) return std::nullopt;
  return steps.value() < 0 ? 0 : steps.value() / w.stride + 1;
}

ShapeOr InferReduceWindow(const InferenceContext& c) {
  const Window window = GetWindow(c.module, c.id);
  const Shape& s = c.operand(0);
  if (static_cast<int64_t>(window.size()) != s.rank()) {
    return Mismatch("the window has ", window.size(), " dimensions, the operand ", s.rank());
  }
  Shape::Dims dims;
  for (int64_t i = 0; i < s.rank(); ++i) {
    if (s.is_unbounded(i)) {
      dims.push_back(Shape::kUnbounded);
      continue;
    }
    const auto size = WindowedSize(s.dim(i), window[i]);
    if (!size.has_value()) return Mismatch("the window of dimension ", i, " makes no sense");
    dims.push_back(*size);
  }
  const Shape& result = c.callee_result();
  if (!result.is_tuple()) return Shape::Array(result.element_type(), dims);
  std::vector<Shape> results;
  for (const Shape& r : result.tuple_elements()) {
    results.push_back(Shape::Array(r.element_type(), dims));
  }
  return Shape::Tuple(std::move(results));
}

ShapeOr InferSort(const InferenceContext& c) {
  if (c.count() == 0) return Mismatch("sort needs an operand");
  const int64_t d = GetDimension(c.module, c.id).value_or(-1);
  if (d < 0 || d >= c.operand(0).rank()) return Mismatch("there is no dimension ", d, " to sort");
  if (c.count() == 1) return &c.operand(0);
  std::vector<Shape> results;
  for (size_t i = 0; i < c.count(); ++i) results.push_back(c.operand(i));
  return Shape::Tuple(std::move(results));
}

ShapeOr InferTopK(const InferenceContext& c) {
  const Shape& s = c.operand(0);
  const int64_t k = GetInt(c.module, c.id, A::kK).value_or(-1);
  if (s.rank() == 0 || k < 0 || k > s.dim(s.rank() - 1))
    return Mismatch("k is larger than the data");
  Shape::Dims dims(s.dims().begin(), s.dims().end());
  dims.back() = k;
  return Shape::Tuple(
      {Shape::Array(s.element_type(), dims), Shape::Array(ElementType::kS32, dims)});
}

}  // namespace tessera::hlo
