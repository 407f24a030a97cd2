// Collectives on one device: in a group of one, and where each device sends to itself, nothing
// moves. The others have no meaning here.
#include "tessera/projection/signatures/collectives.h"

#include <algorithm>

#include "tessera/testing/evaluator/kernel.h"

namespace tessera::testing::evaluator {
namespace {

bool MovesNothing(const Op& op) {
  if (op.opcode() != Opcode::kCollectivePermute)
    return projection::GroupSize(op.module, op.id) == 1;
  const auto pairs = hlo::GetIntLists(op.module, op.id, AttributeName::kSourceTargetPairs);
  return pairs.has_value() && !pairs->empty() &&
         std::all_of(pairs->begin(), pairs->end(),
                     [](const IntList& pair) { return pair.size() == 2 && pair[0] == pair[1]; });
}

}  // namespace

absl::StatusOr<Value> Collective(const Op& op) {
  if (!MovesNothing(op)) return absl::UnimplementedError("a collective of several devices");
  return op.num_operands() == 1 ? FirstOperand(op) : Tuple(op);
}

}  // namespace tessera::testing::evaluator
