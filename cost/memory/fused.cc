#include "tessera/cost/memory/fused.h"

#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/projection/cost/memory/memory_steps.h"
#include "tessera/projection/signatures/opcode_sets.h"

namespace tessera::cost {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

// Besides element-wise ones. They cost nothing to repeat.
constexpr Opcode kRenumbering[] = {Opcode::kBroadcast, Opcode::kIota,   Opcode::kSlice,
                                   Opcode::kReverse,   Opcode::kPad,    Opcode::kReshape,
                                   Opcode::kTranspose, Opcode::kBitcast};

bool CanBeFused(Opcode opcode) {
  return projection::IsElementwise(opcode) || absl::c_linear_search(kRenumbering, opcode);
}

bool CanTakeIn(Opcode opcode) {
  return CanBeFused(opcode) || opcode == Opcode::kReduce || opcode == Opcode::kConcatenate;
}

bool IsDear(Opcode opcode) {
  return projection::IsTranscendental(opcode) || opcode == Opcode::kDivide ||
         opcode == Opcode::kRemainder;
}

class Finder {
 public:
  Finder(const hlo::Module& module, const Received& received)
      : module_(module), received_(received), users_(module.num_instructions()) {}

  Fused Find() {
    for (hlo::ComputationId c = 0; c < module_.num_computations(); ++c) {
      if (!module_.computation(c).removed) FindIn(c);
    }
    return std::move(fused_);
  }

 private:
  void FindIn(hlo::ComputationId c) {
    const std::vector<InstructionId> order = projection::OrderOf(module_, c);
    for (const InstructionId id : order) {
      for (const InstructionId operand : module_.operands(id)) users_[operand].push_back(id);
    }
    // Readers first: whether a reader is fused itself decides.
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      if (*id != module_.computation(c).root && IsFused(*id)) fused_.insert(*id);
    }
  }

  bool IsFused(InstructionId id) const {
    const Opcode opcode = module_.instruction(id).opcode;
    const std::vector<InstructionId>& users = users_[id];
    if (!CanBeFused(opcode) || users.empty() || received_.contains(id)) return false;
    if (!module_.shape(id).is_array() || (IsDear(opcode) && users.size() > 1)) return false;
    return absl::c_all_of(users, [this](InstructionId user) { return TakesIn(user); });
  }

  // What is only another name of its operand must vanish too.
  bool TakesIn(InstructionId user) const {
    if (!CanTakeIn(module_.instruction(user).opcode) || received_.contains(user)) return false;
    const bool is_name = projection::KindOf(module_, user) == projection::BufferKind::kAlias;
    return !is_name || fused_.contains(user);
  }

  const hlo::Module& module_;
  const Received& received_;
  std::vector<std::vector<InstructionId>> users_;
  Fused fused_;
};

}  // namespace

Fused FusedInstructions(const hlo::Module& module, const Received& received) {
  return Finder(module, received).Find();
}

}  // namespace tessera::cost
