#include "tessera/target/combine/chains.h"

#include <utility>

#include "absl/algorithm/container.h"

namespace tessera::target {

Chains::Chains(DeviceProgram& program, ComputationId c)
    : program_(program),
      places_(program.module().num_instructions()),
      visited_(program.module().num_instructions()) {
  uint32_t place = 0;
  for (const InstructionId id : program.PostOrder(c)) places_[id] = place++;
}

bool Chains::IsChain(std::vector<InstructionId> members) {
  absl::c_sort(members, [&](InstructionId a, InstructionId b) { return places_[a] < places_[b]; });
  const auto is_apart = [&](InstructionId a, InstructionId b) { return !Needs(b, a); };
  return absl::c_adjacent_find(members, is_apart) == members.end();
}

bool Chains::Needs(InstructionId id, InstructionId what) {
  ++visit_;
  std::vector<InstructionId> open = {id};
  while (!open.empty()) {
    const InstructionId top = open.back();
    open.pop_back();
    for (const InstructionId operand : program_.operands(top)) {
      if (operand == what) return true;
      if (places_[operand] < places_[what]) continue;
      if (std::exchange(visited_[operand], visit_) != visit_) open.push_back(operand);
    }
  }
  return false;
}

}  // namespace tessera::target
