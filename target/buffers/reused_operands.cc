#include "tessera/target/buffers/reused_operands.h"

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/order.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/validate.h"
#include "tessera/target/dataflow/op_kinds.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;
using layout::Shape;

bool HasSameForm(const Shape& a, const Shape& b) { return a.is_array() && layout::Equal(a, b); }

// As many elements of as many bytes, in whatever form.
bool HasSameBytes(const Shape& a, const Shape& b) {
  return a.is_array() && b.is_array() && layout::StoredBits(a) == layout::StoredBits(b) &&
         a.NumElements() == b.NumElements();
}

bool ConfigHas(const hlo::Module& module, InstructionId id, absl::string_view key) {
  const auto config = module.FindAttribute(id, hlo::AttributeName::kBackendConfig);
  return config.has_value() && absl::StrContains(*config, key);
}

// The lists of shared_leaves.h, which are all that is one.
bool StatesWhatItShares(const hlo::Module& module, InstructionId id) {
  return ConfigHas(module, id, "\"aliasing_operands\"");
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

// A fusion: which parameter may which result lie over?
class Fusion {
 public:
  Fusion(const hlo::Module& module, InstructionId id)
      : module_(module),
        is_on_gpu_(IsOnGpu(module, id)),
        computation_(module.computation(module.called(id)[0])),
        users_(hlo::FindUsers(module, module.called(id)[0])) {
    outs_ = {computation_.root};
    if (IsOf(computation_.root, Opcode::kTuple)) {
      outs_.assign(module.operands(computation_.root).begin(),
                   module.operands(computation_.root).end());
    }
    const auto first =
        absl::c_find_if(outs_, [this](InstructionId out) { return IsOf(out, Opcode::kReduce); });
    if (is_on_gpu_ && first != outs_.end()) reduced_ = *first;
  }

  const std::vector<InstructionId>& outs() const { return outs_; }
  const auto& parameters() const { return computation_.parameters; }

  bool MayLieOver(InstructionId out, InstructionId parameter) const {
    const Shape &made = module_.shape(out), &read = module_.shape(parameter);
    if (!HasSameForm(made, read) && !(is_on_gpu_ && HasSameBytes(made, read))) return false;
    absl::flat_hash_set<InstructionId> seen = {parameter};
    std::vector<InstructionId> open = {parameter};
    while (!open.empty()) {
      const InstructionId at = open.back();
      open.pop_back();
      if (at == reduced_) continue;
      if (is_on_gpu_ && at == out && UsersOf(at).size() > 1) return false;
      for (const InstructionId user : UsersOf(at)) {
        if (!Passes(user, at, out)) return false;
        if (seen.insert(user).second) open.push_back(user);
      }
    }
    return seen.contains(out) && (GoesByCells(out) || !ReachesAnother(out, seen));
  }

 private:
  bool IsOf(InstructionId id, Opcode opcode) const {
    return module_.instruction(id).opcode == opcode;
  }

  // A result that is an update of a place.
  InstructionId UpdateAt(InstructionId out) const {
    if (IsOf(out, Opcode::kBitcast)) out = module_.operands(out)[0];
    return IsOf(out, Opcode::kDynamicUpdateSlice) ? out : hlo::kNoId;
  }
  bool GoesByCells(InstructionId out) const { return UpdateAt(out) == hlo::kNoId; }

  bool ReachesAnother(InstructionId out, const absl::flat_hash_set<InstructionId>& seen) const {
    return absl::c_any_of(outs_,
                          [&](InstructionId one) { return one != out && seen.contains(one); });
  }

  // A kernel of a GPU that reduces does so before it writes other results.
  bool Passes(InstructionId id, InstructionId operand, InstructionId out) const {
    if (IsOf(id, Opcode::kBitcast) || IsOf(id, Opcode::kTuple) || id == reduced_) return true;
    return GoesCellByCell(module_, id, operand) ||
           (is_on_gpu_ && UpdatesThePlaceItReads(id, operand, UpdateAt(out)));
  }

  // A slice of the place that the result updates, or the update itself of what is made of the slice.
  bool UpdatesThePlaceItReads(InstructionId id, InstructionId operand, InstructionId update) const {
    if (update == hlo::kNoId) return false;
    const auto written = module_.operands(update);
    if (id == update) return operand == written[1];
    return IsOf(id, Opcode::kDynamicSlice) && operand == written[0] &&
           module_.operands(id).subspan(1) == written.subspan(2) &&
           HasSameForm(module_.shape(id), module_.shape(written[1]));
  }

  absl::Span<const InstructionId> UsersOf(InstructionId id) const {
    const auto it = users_.find(id);
    return it == users_.end() ? absl::Span<const InstructionId>() : it->second;
  }

  const hlo::Module& module_;
  const bool is_on_gpu_;
  const hlo::Computation& computation_;
  const hlo::UserMap users_;
  std::vector<InstructionId> outs_;
  InstructionId reduced_ = hlo::kNoId;
};

std::vector<SharedLeaf> OfFusion(const hlo::Module& module, InstructionId id,
                                 layout::LeafNumbers* numbers) {
  std::vector<SharedLeaf> reusable;
  if (module.called(id).empty()) return reusable;
  const Fusion fusion(module, id);
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
    if (GoesCellByCell(module, id, operand) &&
        HasSameForm(module.shape(operand), module.shape(id))) {
      reusable.push_back({0, k});
    }
  }
  return reusable;
}

// Each result over the operand of its number.
std::vector<SharedLeaf> EachOverItsOwn(const hlo::Module& module, InstructionId id) {
  std::vector<SharedLeaf> reusable;
  for (size_t k = 0; k < module.operands(id).size(); ++k) reusable.push_back({k, k});
  return reusable;
}

}  // namespace

bool IsOnGpu(const hlo::Module& module, InstructionId id) {
  return ConfigHas(module, id, "\"operation_queue_id\"");
}

void ReusableOperands::CountNames() {
  names_.resize(module_.num_instructions());
  for (InstructionId id = 0; id < module_.num_instructions(); ++id) {
    for (const InstructionId operand : module_.operands(id)) ++names_[operand];
  }
}

std::vector<SharedLeaf> ReusableOperands::OfSort(InstructionId id) {
  if (names_.empty()) CountNames();
  std::vector<SharedLeaf> reusable;
  for (size_t k = 0; k < module_.operands(id).size(); ++k) {
    if (names_[module_.operands(id)[k]] == 1) reusable.push_back({k, k});
  }
  return reusable;
}

std::vector<SharedLeaf> ReusableOperands::Of(InstructionId id) {
  const Opcode opcode = module_.instruction(id).opcode;
  if (StatesWhatItShares(module_, id)) return {};
  if (opcode == Opcode::kFusion) return OfFusion(module_, id, &numbers_);
  if (opcode == Opcode::kSort) return OfSort(id);
  if (opcode == Opcode::kAllReduce && IsOnGpu(module_, id)) return EachOverItsOwn(module_, id);
  return module_.shape(id).is_array() ? OfElementwise(module_, id) : std::vector<SharedLeaf>();
}

}  // namespace tessera::target
