// Messages to and from elsewhere, and operations in two steps. What comes from outside is zero;
// what goes out is gone.
#include <utility>

#include "tessera/testing/evaluator/kernel.h"

namespace tessera::testing::evaluator {

// (operand, context, token); of receives (zeros, context, token).
absl::StatusOr<Value> Send(const Op& op) {
  Value out = MakeValue(op.shape());
  if (!out.elements.empty()) out.elements[0] = *op.operands[0];
  return out;
}

// (data, token) out of (data, context, token).
absl::StatusOr<Value> ReceiveDone(const Op& op) {
  Value out = MakeValue(op.shape());
  out.elements[0] = op.operands[0]->elements[0];
  return out;
}

// async-done gives what its start has computed.
absl::StatusOr<Value> Done(const Op& op) {
  return op.operands[0]->is_array ? *op.operands[0] : op.operands[0]->elements[1];
}

// (copy, operand, context)
absl::StatusOr<Value> StartCopy(const Op& op) {
  Value out = MakeValue(op.shape());
  out.elements[0] = out.elements[1] = *op.operands[0];
  return out;
}

absl::StatusOr<Value> Zero(const Op& op) { return MakeValue(op.shape()); }

}  // namespace tessera::testing::evaluator
