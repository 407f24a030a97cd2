#include "tessera/target/gpu/heights.h"

#include <algorithm>

namespace tessera::target {

Heights::Heights(DeviceProgram& program, ComputationId c) : program_(program) {
  heights_.resize(program.module().num_instructions());
  visited_.resize(heights_.size());
  uint32_t height = 0;
  for (const InstructionId id : program.PostOrder(c)) heights_[id] = ++height;
}

void Heights::MarkBeside(InstructionId id, const std::vector<InstructionId>& others) {
  ++visit_;
  uint32_t least = heights_[id], most = least;
  for (const InstructionId other : others) {
    least = std::min(least, heights_[other]);
    most = std::max(most, heights_[other]);
  }
  Mark(id, [&](InstructionId at, const auto& add) {
    for (const InstructionId operand : program_.operands(at)) {
      if (heights_[operand] >= least) add(operand);
    }
  });
  Mark(id, [&](InstructionId at, const auto& add) {
    for (const InstructionId user : program_.Users(at)) {
      if (heights_[user] <= most) add(user);
    }
  });
}

template <typename Neighbors>
void Heights::Mark(InstructionId id, const Neighbors& neighbors) {
  std::vector<InstructionId> row = {id};
  const auto add = [&](InstructionId at) {
    if (visited_[at] == visit_) return;
    visited_[at] = visit_;
    row.push_back(at);
  };
  for (size_t k = 0; k < row.size(); ++k) neighbors(row[k], add);
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
