// Operations that put cells at other places.
#include <algorithm>
#include <utility>

#include "tessera/hlo/literal.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

absl::StatusOr<Value> ValueOf(const hlo::Literal& literal) {
  if (literal.elided) return absl::UnimplementedError("an elided constant");
  if (!literal.shape.is_array()) {
    std::vector<Value> elements;
    for (const hlo::Literal& element : literal.elements) {
      TESSERA_ASSIGN_OR_RETURN(Value v, ValueOf(element));
      elements.push_back(std::move(v));
    }
    return MakeTuple(std::move(elements));
  }
  Array out = MakeArray(literal.shape);
  const bool complex = layout::IsComplex(out.type);
  const ElementType part = out.type == ElementType::kC64    ? ElementType::kF32
                           : out.type == ElementType::kC128 ? ElementType::kF64
                                                            : out.type;
  for (int64_t i = 0; i < out.size(); ++i) {
    out.cells[i] = CellOfBits(part, literal.bits[complex ? 2 * i : i]);
    if (complex) out.cells[i].im = CellOfBits(part, literal.bits[2 * i + 1]).re;
  }
  return out;
}

// Where a cell lies in memory: row-major over the dimensions from major to minor.
int64_t PhysicalPlace(const layout::Shape& shape, const ZPoint& index) {
  int64_t place = 0;
  for (int64_t k = shape.rank() - 1; k >= 0; --k) {
    const int64_t d = shape.has_layout() ? shape.layout().minor_to_major[k] : shape.rank() - 1 - k;
    place = place * shape.dim(d) + index[static_cast<int>(d)];
  }
  return place;
}

}  // namespace

absl::StatusOr<Value> Constant(const Op& op) {
  TESSERA_ASSIGN_OR_RETURN(hlo::Literal literal,
                           hlo::ParseLiteral(op.module.LiteralText(op.id), op.shape()));
  return ValueOf(literal);
}

absl::StatusOr<Value> Iota(const Op& op) {
  const int dim =
      static_cast<int>(hlo::GetInt(op.module, op.id, AttributeName::kIotaDimension).value_or(0));
  Array out = op.Out();
  for (int64_t i = 0; i < out.size(); ++i) {
    const int64_t at = IndexOf(i, out.dims)[dim];
    out.cells[i] = layout::IsInteger(out.type) ? Fit(out.type, {at, 0, 0})
                                               : Fit(out.type, {0, static_cast<double>(at), 0});
  }
  return out;
}

absl::StatusOr<Value> Broadcast(const Op& op) {
  const IntList dims = op.Ints(AttributeName::kDimensions);
  return Gathered(op, 0, [&](const ZPoint& o) { return Pick(o, dims); });
}

absl::StatusOr<Value> Transpose(const Op& op) {
  const IntList dims = op.Ints(AttributeName::kDimensions);
  return Gathered(op, 0, [&](const ZPoint& o) {
    ZPoint in = o;
    for (int d = 0; d < o.rank(); ++d) in[static_cast<int>(dims[d])] = o[d];
    return in;
  });
}

absl::StatusOr<Value> Reverse(const Op& op) {
  const IntList dims = op.Ints(AttributeName::kDimensions);
  return Gathered(op, 0, [&](ZPoint o) {
    for (int64_t d : dims)
      o[static_cast<int>(d)] = op.in(0).dims[static_cast<int>(d)] - 1 - o[static_cast<int>(d)];
    return o;
  });
}

absl::StatusOr<Value> Slice(const Op& op) {
  const std::vector<hlo::SliceDimension> slice = hlo::GetSlice(op.module, op.id);
  return Gathered(op, 0, [&](ZPoint o) {
    for (int d = 0; d < o.rank(); ++d) o[d] = slice[d].start + o[d] * slice[d].stride;
    return o;
  });
}

absl::StatusOr<Value> Pad(const Op& op) {
  const std::vector<hlo::PaddingDimension> padding = hlo::GetPadding(op.module, op.id);
  Array out = op.Out();
  std::fill(out.cells.begin(), out.cells.end(), op.in(1).cells[0]);
  for (int64_t i = 0; i < op.in(0).size(); ++i) {
    ZPoint o = IndexOf(i, op.in(0).dims);
    for (int d = 0; d < o.rank(); ++d) o[d] = padding[d].low + o[d] * (padding[d].interior + 1);
    if (out.Has(o)) out.At(o) = op.in(0).cells[i];
  }
  return out;
}

absl::StatusOr<Value> Concatenate(const Op& op) {
  const int dim = static_cast<int>(hlo::GetDimension(op.module, op.id).value_or(0));
  Array out = op.Out();
  int64_t start = 0;
  for (int k = 0; k < op.num_operands(); ++k) {
    for (int64_t i = 0; i < op.in(k).size(); ++i) {
      ZPoint o = IndexOf(i, op.in(k).dims);
      o[dim] += start;
      out.At(o) = op.in(k).cells[i];
    }
    start += op.in(k).dims[dim];
  }
  return out;
}

absl::StatusOr<Value> Reshape(const Op& op) {
  Array out = op.Out();
  out.cells = op.in(0).cells;
  return out;
}

// The same memory seen in another shape: cells keep their places there.
absl::StatusOr<Value> Bitcast(const Op& op) {
  Array out = op.Out();
  const Array& in = op.in(0);
  if (in.type != out.type || in.size() != out.size())
    return absl::UnimplementedError("bitcast to another element type");
  const layout::Shape& from = op.module.shape(op.module.operands(op.id)[0]);
  std::vector<Cell> memory(in.cells.size());
  for (int64_t i = 0; i < in.size(); ++i)
    memory[PhysicalPlace(from, IndexOf(i, in.dims))] = in.cells[i];
  for (int64_t i = 0; i < out.size(); ++i)
    out.cells[i] = memory[PhysicalPlace(op.shape(), IndexOf(i, out.dims))];
  return out;
}

}  // namespace tessera::testing::evaluator
