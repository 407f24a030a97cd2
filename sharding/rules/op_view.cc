#include "tessera/sharding/rules/op_view.h"

#include <algorithm>

namespace tessera::sharding::rules {

bool JoinsSlices(absl::Span<const JoinedOperand> operands) {
  const auto is_slice = [](const JoinedOperand& o) { return o.is_slice; };
  const auto same = [&](const JoinedOperand& o) { return o.of == operands.front().of; };
  if (std::all_of(operands.begin(), operands.end(), is_slice)) return true;
  return std::any_of(operands.begin(), operands.end(), is_slice) &&
         std::all_of(operands.begin(), operands.end(), same);
}

bool AsksForSlices(hlo::Opcode opcode) { return opcode == hlo::Opcode::kConcatenate; }

bool AsksForConstantIndices(hlo::Opcode opcode) {
  return opcode == hlo::Opcode::kDynamicUpdateSlice;
}

bool AsksForRng(hlo::Opcode opcode, absl::string_view custom_call_target) {
  return opcode == hlo::Opcode::kCustomCall && custom_call_target == "X64Combine";
}

}  // namespace tessera::sharding::rules
