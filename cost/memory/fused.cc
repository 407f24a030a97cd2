#include "tessera/cost/memory/fused.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/projection/cost/memory/memory_steps.h"
#include "tessera/projection/signatures/opcode_sets.h"

namespace tessera::cost {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

// Besides element-wise ones. They cost nothing to repeat.
constexpr Opcode kRenumbering[] = {Opcode::kBroadcast,    Opcode::kIota,      Opcode::kSlice,
                                   Opcode::kDynamicSlice, Opcode::kReverse,   Opcode::kPad,
                                   Opcode::kReshape,      Opcode::kTranspose, Opcode::kBitcast};

// The kind of fusion that an opcode allows.
struct Traits {
  bool can_be_fused = false, can_take_in = false, is_dear = false;
};

using TraitsByOpcode = std::array<Traits, hlo::kNumOpcodes>;

TraitsByOpcode MakeTraits() {
  TraitsByOpcode all;
  for (size_t k = 0; k < all.size(); ++k) {
    const auto opcode = static_cast<Opcode>(k);
    all[k].can_be_fused =
        projection::IsElementwise(opcode) || absl::c_linear_search(kRenumbering, opcode);
    all[k].can_take_in =
        all[k].can_be_fused || opcode == Opcode::kReduce || opcode == Opcode::kConcatenate;
    all[k].is_dear = projection::IsTranscendental(opcode) || opcode == Opcode::kDivide ||
                     opcode == Opcode::kRemainder;
  }
  return all;
}

const Traits& TraitsOf(Opcode opcode) {
  static const TraitsByOpcode all = MakeTraits();
  return all[static_cast<size_t>(opcode)];
}

// Readers come first, so that a value learns from each of them whether it takes the value in.
class Finder {
 public:
  explicit Finder(const hlo::Module& module)
      : module_(module),
        order_(module),
        reads_(module.num_instructions()),
        fused_(module.num_instructions()) {}

  Fused Find() {
    for (hlo::ComputationId c = 0; c < module_.num_computations(); ++c) {
      if (!module_.computation(c).removed) FindIn(c);
    }
    return std::move(fused_);
  }

 private:
  struct Reads {
    uint32_t count = 0;
    bool refused = false;  // by some reader
  };

  void FindIn(hlo::ComputationId c) {
    const std::vector<InstructionId> order = order_.Of(c);
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      fused_[*id] = *id != module_.computation(c).root && IsFused(*id);
      const bool takes_in = TakesIn(*id);
      for (const InstructionId operand : module_.operands(*id)) {
        ++reads_[operand].count;
        reads_[operand].refused |= !takes_in;
      }
    }
  }

  bool IsFused(InstructionId id) const {
    const Traits& traits = TraitsOf(module_.instruction(id).opcode);
    const Reads& reads = reads_[id];
    if (!traits.can_be_fused || reads.count == 0 || reads.refused) return false;
    return module_.shape(id).is_array() && !(traits.is_dear && reads.count > 1);
  }

  // An instruction that is only another name of its operand must vanish, too.
  bool TakesIn(InstructionId user) const {
    if (!TraitsOf(module_.instruction(user).opcode).can_take_in) return false;
    return fused_[user] || projection::KindOf(module_, user) != projection::BufferKind::kAlias;
  }

  const hlo::Module& module_;
  projection::ExecutionOrder order_;
  std::vector<Reads> reads_;  // by instruction
  Fused fused_;
};

}  // namespace

Fused FusedInstructions(const hlo::Module& module) { return Finder(module).Find(); }

}  // namespace tessera::cost
