// Results of dot, convolution and the linear algebra opcodes.

#include <algorithm>

#include "absl/algorithm/container.h"
#include "tessera/hlo/verify/inference_context.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {

using A = AttributeName;
using layout::ElementType;
using layout::Shape;

namespace {

bool InRange(const IntList& dims, int64_t rank) {
  return std::all_of(dims.begin(), dims.end(), [rank](int64_t d) { return d >= 0 && d < rank; });
}

// Equal sizes, pair by pair.
bool SizesAgree(const Shape& a, const IntList& a_dims, const Shape& b, const IntList& b_dims) {
  if (a_dims.size() != b_dims.size()) return false;
  for (size_t i = 0; i < a_dims.size(); ++i) {
    const int64_t x = a.dim(a_dims[i]), y = b.dim(b_dims[i]);
    if (x != y && x != Shape::kUnbounded && y != Shape::kUnbounded) return false;
  }
  return true;
}

ElementType WiderType(ElementType a, ElementType b) {
  return layout::BitWidth(a) >= layout::BitWidth(b) ? a : b;
}

absl::Status CheckDot(const Shape& lhs, const Shape& rhs, const DotDimensions& d) {
  if (!lhs.is_array() || !rhs.is_array()) return Mismatch("operands are arrays");
  if (!AreDistinct(d.lhs_batch, d.lhs_contracting, lhs.rank()) ||
      !AreDistinct(d.rhs_batch, d.rhs_contracting, rhs.rank())) {
    return Mismatch("a dimension number is out of range or comes twice");
  }
  if (!SizesAgree(lhs, d.lhs_batch, rhs, d.rhs_batch) ||
      !SizesAgree(lhs, d.lhs_contracting, rhs, d.rhs_contracting)) {
    return Mismatch("batch or contracting dimensions of ", layout::ShapeToString(lhs), " and ",
                    layout::ShapeToString(rhs), " differ");
  }
  return absl::OkStatus();
}

void AppendFreeDims(const Shape& s, const IntList& batch, const IntList& contracting,
                    Shape::Dims* dims) {
  for (int64_t i = 0; i < s.rank(); ++i) {
    if (!absl::c_linear_search(batch, i) && !absl::c_linear_search(contracting, i))
      dims->push_back(s.dim(i));
  }
}

// Two labels and those of the spatial dimensions. They are distinct as they were read: each is its
// place in a text, which is out of range where a '?' stands in front of it.
bool AreLabels(int64_t first, int64_t second, const IntList& spatial, int64_t rank) {
  return first < rank && second < rank && InRange(spatial, rank);
}

}  // namespace

ShapeOr InferDot(const InferenceContext& c) {
  const DotDimensions d = GetDotDimensions(c.module, c.id);
  const Shape &lhs = c.operand(0), &rhs = c.operand(1);
  if (auto good = CheckDot(lhs, rhs, d); !good.ok()) return good;
  Shape::Dims dims;
  for (int64_t b : d.lhs_batch) dims.push_back(lhs.dim(b));
  AppendFreeDims(lhs, d.lhs_batch, d.lhs_contracting, &dims);
  AppendFreeDims(rhs, d.rhs_batch, d.rhs_contracting, &dims);
  return Shape::Array(WiderType(lhs.element_type(), rhs.element_type()), dims);
}

// As dot; a group dimension of the right side goes, and ragged contracting dimensions put the
// number of groups in front.
ShapeOr InferRaggedDot(const InferenceContext& c) {
  const DotDimensions d = GetDotDimensions(c.module, c.id);
  const Shape &lhs = c.operand(0), &rhs = c.operand(1), &groups = c.operand(2);
  if (auto good = CheckDot(lhs, rhs, d); !good.ok()) return good;
  if (d.lhs_ragged.size() != 1 || !InRange(d.lhs_ragged, lhs.rank())) {
    return Mismatch("lhs_ragged_dims has one entry, a dimension of the left side");
  }
  if (!InRange(d.rhs_group, rhs.rank())) return Mismatch("a group dimension is out of range");
  const IntList skipped = Joined(d.rhs_contracting, d.rhs_group);
  Shape::Dims dims;
  if (absl::c_linear_search(d.lhs_contracting, d.lhs_ragged[0])) {
    if (groups.rank() == 0) return Mismatch("group sizes have a dimension");
    dims.push_back(groups.dim(groups.rank() - 1));
  }
  for (int64_t b : d.lhs_batch) dims.push_back(lhs.dim(b));
  AppendFreeDims(lhs, d.lhs_batch, d.lhs_contracting, &dims);
  AppendFreeDims(rhs, d.rhs_batch, skipped, &dims);
  return Shape::Array(WiderType(lhs.element_type(), rhs.element_type()), dims);
}

ShapeOr InferConvolution(const InferenceContext& c) {
  const auto& d = c.convolutions.labels.Of(c.module, c.id, A::kDimLabels, GetConvolutionDimensions);
  const Window& window = c.convolutions.windows.Of(c.module, c.id, A::kWindow, GetWindow);
  const Shape &input = c.operand(0), &kernel = c.operand(1);
  const int64_t rank = static_cast<int64_t>(window.size()) + 2;
  if (!d.has_value() || input.rank() != rank || kernel.rank() != rank ||
      d->input_spatial.size() != window.size() || d->kernel_spatial.size() != window.size() ||
      d->output_spatial.size() != window.size()) {
    return Mismatch("window, labels and operands differ in their dimensions");
  }
  if (!AreLabels(d->input_batch, d->input_feature, d->input_spatial, rank) ||
      !AreLabels(d->kernel_input_feature, d->kernel_output_feature, d->kernel_spatial, rank) ||
      !AreLabels(d->output_batch, d->output_feature, d->output_spatial, rank)) {
    return Mismatch("a label is out of range or comes twice");
  }
  const int64_t groups = GetInt(c.module, c.id, A::kBatchGroupCount).value_or(1);
  if (groups < 1 || input.dim(d->input_batch) % groups != 0) {
    return Mismatch("batch_group_count does not divide the batch");
  }
  Shape::Dims dims(rank, 0);
  dims[d->output_batch] = input.dim(d->input_batch) / groups;
  dims[d->output_feature] = kernel.dim(d->kernel_output_feature);
  for (size_t i = 0; i < window.size(); ++i) {
    const auto size = WindowedSize(input.dim(d->input_spatial[i]), window[i]);
    if (!size.has_value()) return Mismatch("the window of dimension ", i, " makes no sense");
    dims[d->output_spatial[i]] = *size;
  }
  return Shape::Array(WiderType(input.element_type(), kernel.element_type()), dims);
}

ShapeOr InferFft(const InferenceContext& c) {
  Shape s = c.operand(0);
  const IntList lengths = c.ints(A::kFftLength);
  if (lengths.empty() || lengths.size() > 3 || static_cast<int64_t>(lengths.size()) > s.rank()) {
    return Mismatch("fft_length has one to three entries, at most as many as the operand's rank");
  }
  const auto words = GetWords(c.module, c.id, A::kFftType);
  const absl::string_view type = words.empty() ? "" : words[0];
  const int64_t last = s.rank() - 1;
  if (type == "RFFT") {
    if (!layout::IsFloat(s.element_type())) return Mismatch("RFFT takes real numbers");
    s.set_element_type(s.element_type() == ElementType::kF64 ? ElementType::kC128
                                                             : ElementType::kC64);
    if (lengths.back() != 0) s.set_dim(last, lengths.back() / 2 + 1);
    return s;
  }
  if (!layout::IsComplex(s.element_type())) return Mismatch(type, " takes complex numbers");
  if (type == "IRFFT") {
    s.set_element_type(s.element_type() == ElementType::kC128 ? ElementType::kF64
                                                              : ElementType::kF32);
    s.set_dim(last, lengths.back());
  }
  return s;
}

ShapeOr InferCholesky(const InferenceContext& c) {
  const Shape& s = c.operand(0);
  const int64_t r = s.rank();
  if (r < 2 || s.dim(r - 1) != s.dim(r - 2)) return Mismatch("the operand is a square matrix");
  return &s;
}

ShapeOr InferTriangularSolve(const InferenceContext& c) {
  const Shape &a = c.operand(0), &b = c.operand(1);
  const int64_t r = a.rank();
  if (r < 2 || b.rank() != r || a.dim(r - 1) != a.dim(r - 2)) {
    return Mismatch("the first operand is a square matrix, the second of the same rank");
  }
  const bool left = GetBool(c.module, c.id, A::kLeftSide).value_or(false);
  if (b.dim(left ? r - 2 : r - 1) != a.dim(r - 1)) return Mismatch("the operands do not fit");
  return &b;
}

}  // namespace tessera::hlo
