// Idea. What a fusion reads of a parameter is what its uses inside read. Slices count their
// results, the target of an update in place nothing, anything else all of it, once. What it writes
// is its root; an update in place writes the update. Tested by the cases of fusions in hlocost.
#include "tessera/projection/cost/compute/fusion_traffic.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/cost/compute/traffic.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

// Bodies are read once each, and values once, however often fusions and tuples name them.
class FusionReader {
 public:
  FusionReader(const Module& module, CostMode mode) : module_(module), mode_(mode) {}

  // Bytes of the result of `id`, or of the update when it writes in place; a tuple is the sum of
  // its elements.
  absl::StatusOr<int64_t> RootBytes(InstructionId id) {
    const Opcode opcode = module_.instruction(id).opcode;
    if (opcode == Opcode::kDynamicUpdateSlice) {
      return BytesOf(module_.shape(module_.operands(id)[1]), mode_);
    }
    if (opcode != Opcode::kTuple) return BytesOf(module_.shape(id), mode_);
    const auto known = roots_.find(id);
    if (known != roots_.end()) return known->second;
    Checked total = 0;
    for (InstructionId element : module_.operands(id)) {
      TESSERA_ASSIGN_OR_RETURN(int64_t bytes, RootBytes(element));
      total += bytes;
    }
    if (!total.ok()) return OverflowError("the bytes of a fusion's result");
    roots_[id] = total.value();
    return total.value();
  }

  // The bytes of each parameter that the body reads.
  absl::StatusOr<const std::vector<int64_t>*> ReadBytes(hlo::ComputationId inside) {
    const auto known = reads_.find(inside);
    if (known != reads_.end()) return &known->second;
    const hlo::Computation& c = module_.computation(inside);
    absl::flat_hash_map<InstructionId, Use> uses;
    for (InstructionId parameter : c.parameters) uses[parameter];
    for (InstructionId user : c.instructions) TESSERA_RETURN_IF_ERROR(AddUser(user, &uses));
    std::vector<int64_t> out;
    for (InstructionId parameter : c.parameters) {
      const Use& use = uses[parameter];
      TESSERA_ASSIGN_OR_RETURN(int64_t all, BytesOf(module_.shape(parameter), mode_));
      if (!use.whole && !use.parts.ok()) return OverflowError("the bytes that a fusion reads");
      out.push_back(use.whole ? all : use.parts.value());
    }
    return &reads_.emplace(inside, std::move(out)).first->second;
  }

 private:
  struct Use {
    Checked parts = 0;
    bool whole = false;
  };

  absl::Status AddUser(InstructionId user, absl::flat_hash_map<InstructionId, Use>* uses) {
    for (size_t k = 0; k < module_.operands(user).size(); ++k) {
      const auto use = uses->find(module_.operands(user)[k]);
      if (use == uses->end()) continue;
      TESSERA_ASSIGN_OR_RETURN(std::optional<int64_t> part, PartialUse(user, k));
      use->second.whole |= !part.has_value();
      use->second.parts += part.value_or(0);
    }
    return absl::OkStatus();
  }

  // The bytes of a parameter that one use as operand number `k` of `user` reads; none: all of it.
  absl::StatusOr<std::optional<int64_t>> PartialUse(InstructionId user, size_t k) {
    const Opcode opcode = module_.instruction(user).opcode;
    if (opcode == Opcode::kDynamicUpdateSlice && k == 0) return std::optional<int64_t>(0);
    const bool slices = opcode == Opcode::kSlice || (opcode == Opcode::kDynamicSlice && k == 0);
    if (slices) {
      TESSERA_ASSIGN_OR_RETURN(int64_t bytes, BytesOf(module_.shape(user), mode_));
      return std::optional<int64_t>(bytes);
    }
    if (opcode != Opcode::kFusion) return std::optional<int64_t>();
    TESSERA_ASSIGN_OR_RETURN(const std::vector<int64_t>* inner, ReadBytes(module_.called(user)[0]));
    return std::optional<int64_t>((*inner)[k]);
  }

  const Module& module_;
  const CostMode mode_;
  absl::flat_hash_map<InstructionId, int64_t> roots_;
  std::map<hlo::ComputationId, std::vector<int64_t>> reads_;  // its values stay where they are
};

}  // namespace

absl::StatusOr<FusedTraffic> TrafficOfFusion(const Module& module, InstructionId id,
                                             CostMode mode) {
  const hlo::ComputationId inside = module.called(id)[0];
  const hlo::Computation& c = module.computation(inside);
  FusionReader reader(module, mode);
  FusedTraffic out;
  TESSERA_ASSIGN_OR_RETURN(const std::vector<int64_t>* read, reader.ReadBytes(inside));
  out.read = *read;
  TESSERA_ASSIGN_OR_RETURN(out.written, reader.RootBytes(c.root));
  for (InstructionId i : c.instructions) {
    if (module.instruction(i).opcode != Opcode::kConstant) continue;
    if (module.shape(i).NumElements().value_or(0) <= 1) continue;
    TESSERA_ASSIGN_OR_RETURN(int64_t bytes, BytesOf(module.shape(i), mode));
    out.constants += bytes;
  }
  return out;
}

}  // namespace tessera::projection
