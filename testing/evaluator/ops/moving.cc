// Operations that put cells at other places.
#include <algorithm>
#include <utility>

#include "tessera/hlo/literal.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/modules/inputs.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

absl::StatusOr<Value> ValueOf(const hlo::Literal& literal) {
  if (!literal.shape.is_array()) {
    std::vector<Value> elements;
    for (const hlo::Literal& element : literal.elements) {
      TESSERA_ASSIGN_OR_RETURN(Value v, ValueOf(element));
      elements.push_back(std::move(v));
    }
    return MakeTuple(std::move(elements));
  }
  Array out = MakeArray(literal.shape);
  if (literal.elided) return Noise(out.type, out.dims, 0, 0);
  const bool complex = layout::IsComplex(out.type);
  const ElementType part = out.type == ElementType::kC64    ? ElementType::kF32
                           : out.type == ElementType::kC128 ? ElementType::kF64
                                                            : out.type;
  Cell* cells = out.cells.Data();
  for (int64_t i = 0; i < out.size(); ++i) {
    cells[i] = CellOfBits(part, literal.BitsAt(complex ? 2 * i : i));
    if (complex) cells[i].im = CellOfBits(part, literal.BitsAt(2 * i + 1)).re;
  }
  return out;
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
  Cell* cells = out.cells.Data();
  op.ForEachAsked(out.dims, [&](int64_t i, const ZPoint& o) {
    const double real = static_cast<double>(o[dim]);
    cells[i] = Fit(out.type, layout::IsInteger(out.type) ? Cell{o[dim], 0, 0} : Cell{0, real, 0});
  });
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
  const Array& in = op.in(0);
  Cell* cells = out.cells.Data();
  op.ForEachAsked(out.dims, [&](int64_t i, ZPoint at) {
    bool inside = true;
    for (int d = 0; d < at.rank(); ++d) {
      at[d] -= padding[d].low;
      inside &= at[d] >= 0 && at[d] % (padding[d].interior + 1) == 0;
      at[d] /= padding[d].interior + 1;
    }
    cells[i] = inside && in.Has(at) ? in.At(at) : op.in(1).cells[0];
  });
  return out;
}

absl::StatusOr<Value> Concatenate(const Op& op) {
  const int dim = static_cast<int>(hlo::GetDimension(op.module, op.id).value_or(0));
  Array out = op.Out();
  Cell* cells = out.cells.Data();
  op.ForEachAsked(out.dims, [&](int64_t i, ZPoint at) {
    int k = 0;
    while (at[dim] >= op.in(k).dims[dim]) at[dim] -= op.in(k++).dims[dim];
    cells[i] = op.in(k).At(at);
  });
  return out;
}

absl::StatusOr<Value> Reshape(const Op& op) {
  Array out = op.in(0);
  out.dims = op.Out().dims;
  return out;
}

}  // namespace tessera::testing::evaluator
