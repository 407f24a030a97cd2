// How far the results of two programs that compute the same may be apart.
//
//   RoundingShare(module) * LargestOf(array)     // by so much a float of the array may differ
//
// Parts are summed in another order than the whole. The least exact type that a module computes in decides, since a
// result may be converted from it.
#ifndef TESSERA_TESTING_EVALUATOR_ROUNDING_H_
#define TESSERA_TESTING_EVALUATOR_ROUNDING_H_

#include <string>

#include "tessera/hlo/module.h"
#include "tessera/testing/evaluator/value.h"

namespace tessera::testing::evaluator {

// The share of an array's largest number: 1e-4, and more where the module computes in fewer bits than f32.
double RoundingShare(const hlo::Module& module);
// Of one type; 0 for integers.
double RoundingShare(ElementType type);
// The largest finite number; 0 for none.
double LargestOf(const Array& array);
std::string CellText(ElementType type, const Cell& cell);

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_ROUNDING_H_
