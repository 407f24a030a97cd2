#include "tessera/target/gpu/heights.h"

#include <algorithm>

namespace tessera::target {

Heights::Heights(DeviceProgram& program, ComputationId c) : program_(program) {
  heights_.resize(program.module().num_instructions());
  visited_.resize(heights_.size());
  uint32_t height = 0;
  for (const InstructionId id : program.PostOrder(c)) heights_[id] = ++height;
}

bool Heights::Needs(InstructionId id, InstructionId what) {
  ++visit_;
  std::vector<InstructionId> row = {id};
  for (size_t k = 0; k < row.size(); ++k) {
    for (const InstructionId operand : program_.operands(row[k])) {
      if (operand == what) return true;
      if (heights_[operand] < heights_[what] || visited_[operand] == visit_) continue;
      visited_[operand] = visit_;
      row.push_back(operand);
    }
  }
  return false;
}

void Heights::Raise(const std::vector<InstructionId>& added) {
  heights_.resize(program_.module().num_instructions());
  visited_.resize(heights_.size());
  std::vector<InstructionId> row = added;
  for (size_t k = 0; k < row.size(); ++k) {
    uint32_t height = heights_[row[k]];
    for (const InstructionId operand : program_.operands(row[k])) {
      height = std::max(height, heights_[operand]);
    }
    if (height == heights_[row[k]]) continue;
    heights_[row[k]] = height;
    for (const InstructionId user : program_.Users(row[k])) row.push_back(user);
  }
}

}  // namespace tessera::target
