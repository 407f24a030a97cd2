// Sums of products. One part of a position depends on the cell of the result, the other on the
// summed index. So the inner loop, where large modules spend their time, costs one multiplication
// and addition.
#include "tessera/testing/evaluator/ops/contraction/dot.h"

#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/ops/arithmetic.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

void Put(const hlo::IntList& dims, const ZPoint& from, int first, ZPoint* to) {
  for (size_t i = 0; i < dims.size(); ++i)
    (*to)[static_cast<int>(dims[i])] = from[first + static_cast<int>(i)];
}

hlo::IntList Both(const hlo::IntList& a, const hlo::IntList& b) {
  hlo::IntList out = a;
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

float RoundTo(float, double x) { return static_cast<float>(x); }
double RoundTo(double, double x) { return x; }

// In machine arithmetic of type T; each product and each sum is rounded to it.
template <typename T>
double RealSum(const Cell* x, const Cell* y, int64_t base_x, int64_t base_y,
               const Summands& summands, double first) {
  T sum = RoundTo(T(), first);
  for (size_t j = 0; j < summands.lhs.size(); ++j) {
    const T product = RoundTo(T(), x[base_x + summands.lhs[j]].re * y[base_y + summands.rhs[j]].re);
    sum = RoundTo(T(), static_cast<double>(sum) + static_cast<double>(product));
  }
  return static_cast<double>(sum);
}

}  // namespace

Cell Widened(ElementType from, ElementType to, const Cell& x) {
  const bool real = layout::IsFloat(to) || layout::IsComplex(to);
  const bool was_real = layout::IsFloat(from) || layout::IsComplex(from);
  if (real && !was_real) return {0, static_cast<double>(x.i), 0};
  return x;
}

ElementType AccumulatorType(ElementType type) {
  return layout::IsFloat(type) && type != ElementType::kF64 ? ElementType::kF32 : type;
}

Cell MultiplyAdd(ElementType type, const Cell& x, const Cell& y, const Cell& sum) {
  static const BinaryRow& multiply = *FindBinary(Opcode::kMultiply);
  static const BinaryRow& add = *FindBinary(Opcode::kAdd);
  return Apply2(add, type, sum, Apply2(multiply, type, x, y));
}

Cell SumOfProducts(ElementType held, const Array& lhs, const Array& rhs, int64_t base_lhs,
                   int64_t base_rhs, const Summands& summands, Cell sum) {
  const Cell *x = lhs.cells.Raw(), *y = rhs.cells.Raw();
  lhs.cells.Look(base_lhs, summands.lhs);
  rhs.cells.Look(base_rhs, summands.rhs);
  const bool real = layout::IsFloat(lhs.type) && layout::IsFloat(rhs.type);
  if (real) {
    if (held == ElementType::kF32)
      return {0, RealSum<float>(x, y, base_lhs, base_rhs, summands, sum.re), 0};
    if (held == ElementType::kF64)
      return {0, RealSum<double>(x, y, base_lhs, base_rhs, summands, sum.re), 0};
  }
  for (size_t j = 0; j < summands.lhs.size(); ++j) {
    sum = MultiplyAdd(held, Widened(lhs.type, held, x[base_lhs + summands.lhs[j]]),
                      Widened(rhs.type, held, y[base_rhs + summands.rhs[j]]), sum);
  }
  return sum;
}

DotPlaces PlacesOf(const hlo::DotDimensions& d, const Array& lhs, const Array& rhs) {
  DotPlaces places;
  places.lhs_free = Others(lhs.rank(), Both(d.lhs_batch, d.lhs_contracting));
  places.rhs_free = Others(rhs.rank(), Both(d.rhs_batch, d.rhs_contracting));
  places.summed = Pick(lhs.dims, d.lhs_contracting);
  return places;
}

ZPoint DotPlaces::Lhs(const hlo::DotDimensions& d, int rank, const ZPoint& result,
                      const ZPoint& k) const {
  ZPoint at = ZPoint::Filled(rank, 0);
  Put(d.lhs_batch, result, 0, &at);
  Put(lhs_free, result, static_cast<int>(d.lhs_batch.size()), &at);
  Put(d.lhs_contracting, k, 0, &at);
  return at;
}

ZPoint DotPlaces::Rhs(const hlo::DotDimensions& d, int rank, const ZPoint& result,
                      const ZPoint& k) const {
  ZPoint at = ZPoint::Filled(rank, 0);
  Put(d.rhs_batch, result, 0, &at);
  Put(rhs_free, result, static_cast<int>(d.rhs_batch.size() + lhs_free.size()), &at);
  Put(d.rhs_contracting, k, 0, &at);
  return at;
}

Summands DotPlaces::SummandsOf(const hlo::DotDimensions& d, const Array& lhs,
                               const Array& rhs) const {
  Summands out;
  const ZPoint first =
      ZPoint::Filled(static_cast<int>(d.lhs_batch.size() + lhs_free.size() + rhs_free.size()), 0);
  projection::ForEachCell(ZRange::FromShape(summed), [&](const ZPoint& k) {
    out.lhs.push_back(LinearOf(Lhs(d, lhs.rank(), first, k), lhs.dims));
    out.rhs.push_back(LinearOf(Rhs(d, rhs.rank(), first, k), rhs.dims));
    return true;
  });
  return out;
}

absl::StatusOr<Value> Dot(const Op& op) {
  const Array &lhs = op.in(0), &rhs = op.in(1);
  const hlo::DotDimensions d = hlo::GetDotDimensions(op.module, op.id);
  const DotPlaces places = PlacesOf(d, lhs, rhs);
  const Summands summands = places.SummandsOf(d, lhs, rhs);
  Array out = op.Out();
  const ElementType held = AccumulatorType(out.type);
  const ZPoint none = ZPoint::Filled(places.summed.rank(), 0);
  TESSERA_RETURN_IF_ERROR(
      op.interpreter.Spend(out.size() * static_cast<int64_t>(summands.lhs.size())));
  Cell* cells = out.cells.Data();
  op.ForEachAsked(out.dims, [&](int64_t i, const ZPoint& o) {
    cells[i] = Fit(out.type,
                   SumOfProducts(held, lhs, rhs, lhs.Linear(places.Lhs(d, lhs.rank(), o, none)),
                                 rhs.Linear(places.Rhs(d, rhs.rank(), o, none)), summands, Cell()));
  });
  return out;
}

}  // namespace tessera::testing::evaluator
