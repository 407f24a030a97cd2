#include "tessera/target/kernels/clusters/score_gradients.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/projection/signatures/opcode_sets.h"
#include "tessera/target/kernels/clusters/repeats.h"
#include "tessera/target/kernels/products/registers.h"
#include "tessera/target/kernels/roles.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

constexpr size_t kMostOfTree = 64;  // element-wise operations that are looked at
constexpr int64_t kScoresRank = 4;  // batch, heads, queries, keys

Opcode OpcodeOf(const hlo::Module& module, InstructionId id) {
  return module.instruction(id).opcode;
}

// Repeats along one dimension what arrays of these sizes add up to.
bool IsOfRowSums(const hlo::Module& module, InstructionId broadcast) {
  InstructionId id = module.operands(broadcast)[0];
  while (IsView(OpcodeOf(module, id)) || OpcodeOf(module, id) == Opcode::kNegate) {
    id = module.operands(id)[0];
  }
  return OpcodeOf(module, id) == Opcode::kReduce &&
         Elements(module.shape(module.operands(id)[0])) == Elements(module.shape(broadcast));
}

}  // namespace

bool IsGradientOfScores(const hlo::Module& module, InstructionId id) {
  const layout::Shape& scores = module.shape(id);
  if (!scores.is_array() || scores.rank() < kScoresRank) return false;
  if (OpcodeOf(module, id) != Opcode::kConvert || !Narrows(module, id)) return false;
  std::vector<InstructionId> work = {id};
  bool subtracts_sums = false, has_weights = false;
  for (size_t k = 0; k < work.size() && k < kMostOfTree; ++k) {
    const Opcode opcode = OpcodeOf(module, work[k]);
    if (absl::c_linear_search(module.shape(work[k]).dims(), 1)) return false;
    if (!projection::IsElementwise(opcode) && !IsView(opcode)) continue;
    has_weights |= opcode == Opcode::kMultiply;
    const bool adds = opcode == Opcode::kAdd || opcode == Opcode::kSubtract;
    for (const InstructionId operand : module.operands(work[k])) {
      if (Elements(module.shape(operand)) != Elements(scores)) continue;
      const bool is_repeated = OpcodeOf(module, operand) == Opcode::kBroadcast;
      subtracts_sums |= adds && is_repeated && IsOfRowSums(module, operand);
      if (!is_repeated) work.push_back(operand);
    }
  }
  return subtracts_sums && has_weights;
}

}  // namespace tessera::target
