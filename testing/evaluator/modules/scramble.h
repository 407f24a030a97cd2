// Numbers that depend on every bit of what they are made from.
#ifndef TESSERA_TESTING_EVALUATOR_MODULES_SCRAMBLE_H_
#define TESSERA_TESTING_EVALUATOR_MODULES_SCRAMBLE_H_

#include <cstdint>

#include "tessera/testing/evaluator/value.h"

namespace tessera::testing::evaluator {

inline uint64_t Scramble(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Floats in [-2, 2) in steps of 1/64, integers in [0, 5), any predicate.
inline Cell ScrambledCell(ElementType type, uint64_t seed) {
  const uint64_t bits = Scramble(seed) >> 24;
  if (type == ElementType::kPred) return {static_cast<int64_t>(bits & 1), 0, 0};
  const double small = (static_cast<double>(bits % 256) - 128) / 64;
  if (layout::IsFloat(type)) return Fit(type, {0, small, 0});
  if (layout::IsComplex(type)) return {0, small, -small};
  return Fit(type, {static_cast<int64_t>(bits % 5), 0, 0});
}

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_MODULES_SCRAMBLE_H_
