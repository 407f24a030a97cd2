// Arithmetic on single cells, as tables: one row for each opcode, one function for each class of
// numbers.
//
//   const BinaryRow* add = FindBinary(Opcode::kAdd);
//   Apply2(*add, ElementType::kS8, {100}, {100}).i    // -56
#ifndef TESSERA_TESTING_EVALUATOR_OPS_ARITHMETIC_H_
#define TESSERA_TESTING_EVALUATOR_OPS_ARITHMETIC_H_

#include <complex>
#include <cstdint>

#include "tessera/hlo/opcode.h"
#include "tessera/testing/evaluator/value.h"

namespace tessera::testing::evaluator {

using Number = std::complex<double>;

// Functions that are null have no meaning for that class. `type` is that of the operands.
struct UnaryRow {
  hlo::Opcode opcode;
  double (*real)(double x);
  Number (*complex)(Number x);
  int64_t (*integer)(ElementType type, int64_t x);
};
struct BinaryRow {
  hlo::Opcode opcode;
  double (*real)(double x, double y);
  Number (*complex)(Number x, Number y);
  int64_t (*integer)(ElementType type, int64_t x, int64_t y);
};

// Null for other opcodes.
const UnaryRow* FindUnary(hlo::Opcode opcode);
const BinaryRow* FindBinary(hlo::Opcode opcode);

// The result in `type`, the type of the operands, rounded. Zero where the class has no function.
Cell Apply1(const UnaryRow& row, ElementType type, const Cell& x);
Cell Apply2(const BinaryRow& row, ElementType type, const Cell& x, const Cell& y);

// x < y as numbers of `type`; false when either is NaN. Complex numbers are not ordered.
bool Less(ElementType type, const Cell& x, const Cell& y);

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_OPS_ARITHMETIC_H_
