#include "tessera/sharding/rules/op_view.h"

#include <algorithm>

namespace tessera::sharding::rules {

bool JoinsSlices(absl::Span<const JoinedOperand> operands) {
  const auto is_slice = [](const JoinedOperand& o) { return o.is_slice; };
  if (std::all_of(operands.begin(), operands.end(), is_slice)) return true;
  return std::any_of(operands.begin(), operands.end(), is_slice) && JoinsOneValue(operands);
}

bool JoinsOneValue(absl::Span<const JoinedOperand> operands) {
  return std::all_of(operands.begin(), operands.end(),
                     [&](const JoinedOperand& o) { return o.of == operands.front().of; });
}

bool AsksForSlices(hlo::Opcode opcode) { return opcode == hlo::Opcode::kConcatenate; }

bool AsksForConstantIndices(hlo::Opcode opcode) {
  return opcode == hlo::Opcode::kDynamicUpdateSlice;
}

bool AsksForRng(hlo::Opcode opcode, absl::string_view custom_call_target) {
  return opcode == hlo::Opcode::kCustomCall && custom_call_target == "X64Combine";
}

}  // namespace tessera::sharding::rules
