#include "tessera/target/buffers/reused_operands.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/order.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/target/dataflow/op_kinds.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;
using layout::Shape;

bool HasSameForm(const Shape& a, const Shape& b) { return a.is_array() && layout::Equal(a, b); }

// The lists of shared_leaves.h, which are all that is one.
bool StatesWhatItShares(const hlo::Module& module, InstructionId id) {
  const auto config = module.FindAttribute(id, hlo::AttributeName::kBackendConfig);
  return config.has_value() && absl::StrContains(*config, "\"aliasing_operands\"");
}

// Reads each cell of its operand `operand` before it writes the same cell.
bool GoesCellByCell(const hlo::Module& module, InstructionId id, InstructionId operand) {
  const Opcode opcode = module.instruction(id).opcode;
  if (opcode == Opcode::kDynamicUpdateSlice) return module.operands(id)[0] == operand;
  if (opcode == Opcode::kBitcastConvert) {
    return module.shape(id).rank() == module.shape(operand).rank();
  }
  return opcode != Opcode::kCopy && KindOf(opcode) == OpKind::kElementwise;
}

// The fusions of one computation: which parameter may which result lie over.
class Fusion {
 public:
  Fusion(const hlo::Module& module, hlo::ComputationId c)
      : module_(module), computation_(module.computation(c)), users_(hlo::FindUsers(module, c)) {
    outs_ = {computation_.root};
    if (module.instruction(computation_.root).opcode != Opcode::kTuple) return;
    outs_.assign(module.operands(computation_.root).begin(),
                 module.operands(computation_.root).end());
  }

  const std::vector<InstructionId>& outs() const { return outs_; }
  const auto& parameters() const { return computation_.parameters; }

  bool MayLieOver(InstructionId out, InstructionId parameter) const {
    if (!HasSameForm(module_.shape(out), module_.shape(parameter))) return false;
    absl::flat_hash_set<InstructionId> seen = {parameter};
    std::vector<InstructionId> open = {parameter};
    bool is_reached = false;
    while (!open.empty()) {
      const InstructionId at = open.back();
      open.pop_back();
      is_reached |= at == out;
      if (at == out && UsersOf(at).size() > 1) return false;
      for (const InstructionId user : UsersOf(at)) {
        if (at == out && user == computation_.root) continue;
        if (!Passes(user, at)) return false;
        if (seen.insert(user).second) open.push_back(user);
      }
    }
    return is_reached;
  }

 private:
  bool Passes(InstructionId id, InstructionId operand) const {
    return module_.instruction(id).opcode == Opcode::kBitcast ||
           GoesCellByCell(module_, id, operand);
  }

  absl::Span<const InstructionId> UsersOf(InstructionId id) const {
    const auto it = users_.find(id);
    return it == users_.end() ? absl::Span<const InstructionId>() : it->second;
  }

  const hlo::Module& module_;
  const hlo::Computation& computation_;
  const hlo::UserMap users_;
  std::vector<InstructionId> outs_;
};

std::vector<SharedLeaf> OfFusion(const hlo::Module& module, InstructionId id,
                                 layout::LeafNumbers* numbers) {
  std::vector<SharedLeaf> reusable;
  if (module.called(id).empty()) return reusable;
  const Fusion fusion(module, module.called(id)[0]);
  const auto operands = module.operands(id);
  for (size_t k = 0; k < fusion.outs().size(); ++k) {
    size_t first = 0;
    for (size_t p = 0; p < operands.size() && p < fusion.parameters().size(); ++p) {
      if (fusion.MayLieOver(fusion.outs()[k], fusion.parameters()[p])) {
        reusable.push_back({k, first});
      }
      first += numbers->Count(module.shape(operands[p]));
    }
  }
  return reusable;
}

std::vector<SharedLeaf> OfElementwise(const hlo::Module& module, InstructionId id) {
  std::vector<SharedLeaf> reusable;
  for (size_t k = 0; k < module.operands(id).size(); ++k) {
    const InstructionId operand = module.operands(id)[k];
    const bool is_cell_by_cell =
        module.instruction(id).opcode == Opcode::kCopy || GoesCellByCell(module, id, operand);
    if (is_cell_by_cell && HasSameForm(module.shape(operand), module.shape(id))) {
      reusable.push_back({0, k});
    }
  }
  return reusable;
}

std::vector<SharedLeaf> OfSort(const hlo::Module& module, InstructionId id) {
  std::vector<SharedLeaf> reusable;
  for (size_t k = 0; k < module.operands(id).size(); ++k) reusable.push_back({k, k});
  return reusable;
}

}  // namespace

std::vector<SharedLeaf> ReusableLeaves(const hlo::Module& module, InstructionId id,
                                       layout::LeafNumbers* numbers) {
  const Opcode opcode = module.instruction(id).opcode;
  if (StatesWhatItShares(module, id)) return {};
  if (opcode == Opcode::kFusion) return OfFusion(module, id, numbers);
  if (opcode == Opcode::kSort) return OfSort(module, id);
  return module.shape(id).is_array() ? OfElementwise(module, id) : std::vector<SharedLeaf>();
}

}  // namespace tessera::target
