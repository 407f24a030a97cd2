// Collectives on one device: in a group of one nothing moves. Larger groups have no meaning here.
#include "tessera/projection/signatures/collectives.h"

#include "tessera/testing/evaluator/kernel.h"

namespace tessera::testing::evaluator {

absl::StatusOr<Value> Collective(const Op& op) {
  const bool permute = op.opcode() == Opcode::kCollectivePermute;
  if (permute || projection::GroupSize(op.module, op.id) != 1)
    return absl::UnimplementedError("a collective of several devices");
  return op.num_operands() == 1 ? FirstOperand(op) : Tuple(op);
}

}  // namespace tessera::testing::evaluator
