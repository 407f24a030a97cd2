// The sum of products that dot and its variants share.
#ifndef TESSERA_TESTING_EVALUATOR_OPS_CONTRACTION_DOT_H_
#define TESSERA_TESTING_EVALUATOR_OPS_CONTRACTION_DOT_H_

#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/testing/evaluator/value.h"

namespace tessera::testing::evaluator {

// What sums of products of this type are held in: f32 for it and for smaller floats, else the type.
ElementType AccumulatorType(ElementType type);

// x * y + sum, rounded to `type` after the product and after the sum.
Cell MultiplyAdd(ElementType type, const Cell& x, const Cell& y, const Cell& sum);

// `x` of type `from` as an unrounded number of type `to`: what an operand of a product is.
Cell Widened(ElementType from, ElementType to, const Cell& x);

// Distances of the cells that are multiplied from the first of them, in order of summation.
struct Summands {
  std::vector<int64_t> lhs, rhs;
};
// sum + lhs[base_lhs + s.lhs[0]] * rhs[base_rhs + s.rhs[0]] + .., rounded at each step.
Cell SumOfProducts(ElementType held, const Array& lhs, const Array& rhs, int64_t base_lhs,
                   int64_t base_rhs, const Summands& summands, Cell sum);

// The dimensions of a dot: result = batch, then free of lhs, then free of rhs.
struct DotPlaces {
  hlo::IntList lhs_free, rhs_free;
  ZPoint summed;  // extents of the contracting dimensions
  // The cell of an operand for an index of the result and of the contracting dimensions.
  ZPoint Lhs(const hlo::DotDimensions& d, int rank, const ZPoint& result, const ZPoint& k) const;
  ZPoint Rhs(const hlo::DotDimensions& d, int rank, const ZPoint& result, const ZPoint& k) const;
  Summands SummandsOf(const hlo::DotDimensions& d, const Array& lhs, const Array& rhs) const;
};
DotPlaces PlacesOf(const hlo::DotDimensions& d, const Array& lhs, const Array& rhs);

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_OPS_CONTRACTION_DOT_H_
