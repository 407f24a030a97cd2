// Arguments for a module that comes without any: numbers that look random, are the same every time,
// and are easy to make in another language (testing/jax/compare_values.py makes the same ones).
//
//   cell k of leaf l of parameter p:  v = (k * 2654435761 + p * 40503 + l * 9973) mod 2^32 >> 24
//   floats      (v - 128) / 64, so that |x| <= 2 and small sums are exact
//   complex     the same, the imaginary part with k + 7
//   integers    v mod 5
//   pred        v odd
#ifndef TESSERA_TESTING_EVALUATOR_MODULES_INPUTS_H_
#define TESSERA_TESTING_EVALUATOR_MODULES_INPUTS_H_

#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/testing/evaluator/value.h"

namespace tessera::testing::evaluator {

// One for each parameter of the entry.
std::vector<Value> MakeInputs(const hlo::Module& module);

// The numbers of one array.
Array Noise(ElementType type, const ZPoint& dims, int64_t parameter, int64_t leaf);

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_MODULES_INPUTS_H_
