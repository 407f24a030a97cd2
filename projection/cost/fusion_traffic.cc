// Idea. What a fusion reads of a parameter is what its uses inside read: slices count their
// results, the target of an update in place nothing, anything else all of it, once. What it writes
// is its root; an update in place writes the update. Tested by the cases of fusions in hlocost.
#include "tessera/projection/cost/fusion_traffic.h"

#include "tessera/projection/checked.h"
#include "tessera/projection/cost/traffic.h"
#include "tessera/projection/error.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

// Bytes of the result of `id`, or of the update when it writes in place; a tuple is the sum of its
// elements.
absl::StatusOr<int64_t> RootBytes(const Module& module, InstructionId id, CostMode mode) {
  const Opcode opcode = module.instruction(id).opcode;
  if (opcode == Opcode::kDynamicUpdateSlice)
    return BytesOf(module.shape(module.operands(id)[1]), mode);
  if (opcode != Opcode::kTuple) return BytesOf(module.shape(id), mode);
  Checked total = 0;
  for (InstructionId element : module.operands(id)) {
    TESSERA_ASSIGN_OR_RETURN(int64_t bytes, RootBytes(module, element, mode));
    total += bytes;
  }
  if (!total.ok()) return OverflowError("the bytes of a fusion's result");
  return total.value();
}

absl::StatusOr<int64_t> ReadBytes(const Module& module, hlo::ComputationId inside,
                                  InstructionId parameter, CostMode mode);

// What one use of `parameter` as operand number `k` of `user` reads of it; none: all of it.
absl::StatusOr<std::optional<int64_t>> PartialUse(const Module& module, InstructionId user,
                                                  size_t k, CostMode mode) {
  const Opcode opcode = module.instruction(user).opcode;
  if (opcode == Opcode::kDynamicUpdateSlice && k == 0) return std::optional<int64_t>(0);
  const bool slices = opcode == Opcode::kSlice || (opcode == Opcode::kDynamicSlice && k == 0);
  if (slices) {
    TESSERA_ASSIGN_OR_RETURN(int64_t bytes, BytesOf(module.shape(user), mode));
    return std::optional<int64_t>(bytes);
  }
  if (opcode == Opcode::kFusion) {
    const hlo::ComputationId inner = module.called(user)[0];
    TESSERA_ASSIGN_OR_RETURN(
        int64_t bytes, ReadBytes(module, inner, module.computation(inner).parameters[k], mode));
    return std::optional<int64_t>(bytes);
  }
  return std::optional<int64_t>();
}

absl::StatusOr<int64_t> ReadBytes(const Module& module, hlo::ComputationId inside,
                                  InstructionId parameter, CostMode mode) {
  Checked parts = 0;
  bool whole = false;
  for (InstructionId user : module.computation(inside).instructions) {
    for (size_t k = 0; k < module.operands(user).size(); ++k) {
      if (module.operands(user)[k] != parameter) continue;
      TESSERA_ASSIGN_OR_RETURN(std::optional<int64_t> part, PartialUse(module, user, k, mode));
      whole |= !part.has_value();
      parts += part.value_or(0);
    }
  }
  TESSERA_ASSIGN_OR_RETURN(int64_t all, BytesOf(module.shape(parameter), mode));
  if (whole) return all;
  if (!parts.ok()) return OverflowError("the bytes that a fusion reads");
  return parts.value();
}

}  // namespace

absl::StatusOr<FusedTraffic> TrafficOfFusion(const Module& module, InstructionId id,
                                             CostMode mode) {
  const hlo::ComputationId inside = module.called(id)[0];
  const hlo::Computation& c = module.computation(inside);
  FusedTraffic out;
  for (InstructionId parameter : c.parameters) {
    TESSERA_ASSIGN_OR_RETURN(int64_t bytes, ReadBytes(module, inside, parameter, mode));
    out.read.push_back(bytes);
  }
  TESSERA_ASSIGN_OR_RETURN(out.written, RootBytes(module, c.root, mode));
  for (InstructionId i : c.instructions) {
    if (module.instruction(i).opcode != Opcode::kConstant) continue;
    if (module.shape(i).NumElements().value_or(0) <= 1) continue;
    TESSERA_ASSIGN_OR_RETURN(int64_t bytes, BytesOf(module.shape(i), mode));
    out.constants += bytes;
  }
  return out;
}

}  // namespace tessera::projection
