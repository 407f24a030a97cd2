#include "tessera/sharding/passes/emit/followed_operand.h"

#include "tessera/hlo/elementwise.h"

namespace tessera::sharding::passes {

using hlo::Opcode;

int FollowedOperand(Opcode opcode) {
  switch (opcode) {
    case Opcode::kClamp:
    case Opcode::kTriangularSolve:
      return 1;
    case Opcode::kAllReduce:
    case Opcode::kBatchNormInference:
    case Opcode::kCholesky:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kFft:
    case Opcode::kReverse:
    case Opcode::kScatter:
    case Opcode::kSelectAndScatter:
      return 0;
    default:
      return hlo::IsElementwise(opcode) ? 0 : -1;
  }
}

}  // namespace tessera::sharding::passes
