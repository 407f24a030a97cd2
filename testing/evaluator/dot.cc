#include "tessera/testing/evaluator/dot.h"

#include "tessera/testing/evaluator/arithmetic.h"
#include "tessera/testing/evaluator/kernel.h"
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

absl::StatusOr<Value> Dot(const Op& op) {
  if (op.num_operands() != 2) return absl::UnimplementedError("a sparse dot");
  const Array &lhs = op.in(0), &rhs = op.in(1);
  const hlo::DotDimensions d = hlo::GetDotDimensions(op.module, op.id);
  const DotPlaces places = PlacesOf(d, lhs, rhs);
  Array out = op.Out();
  const ElementType held = AccumulatorType(out.type);
  const Array products = MakeArray(out.type, places.summed);
  TESSERA_RETURN_IF_ERROR(op.interpreter.Spend(out.size() * products.size()));
  for (int64_t i = 0; i < out.size(); ++i) {
    const ZPoint o = IndexOf(i, out.dims);
    Cell sum;
    for (int64_t j = 0; j < products.size(); ++j) {
      const ZPoint k = IndexOf(j, places.summed);
      sum = MultiplyAdd(held, Widened(lhs.type, held, lhs.At(places.Lhs(d, lhs.rank(), o, k))),
                        Widened(rhs.type, held, rhs.At(places.Rhs(d, rhs.rank(), o, k))), sum);
    }
    out.cells[i] = Fit(out.type, sum);
  }
  return out;
}

}  // namespace tessera::testing::evaluator
