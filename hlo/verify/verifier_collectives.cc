// Replica groups and the shapes of collectives.

#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/schema/opcode_table.h"
#include "tessera/hlo/verify/inference_context.h"
#include "tessera/hlo/verify/verifier_rules.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::hlo {

using A = AttributeName;
using layout::Shape;

namespace {

// Every id once, no empty group. An iota and the axes of a mesh are so by their form.
absl::Status CheckIds(const std::vector<std::vector<int64_t>>& groups) {
  size_t total = 0;
  for (const std::vector<int64_t>& group : groups) {
    if (group.empty()) return Mismatch("a replica group is empty");
    total += group.size();
  }
  std::vector<uint8_t> seen(total);  // of bytes, which are found faster than bits
  for (const std::vector<int64_t>& group : groups) {
    for (int64_t id : group) {
      if (id < 0 || id >= static_cast<int64_t>(total)) return Mismatch("id ", id, " leaves a gap");
      if (seen[id]) return Mismatch("an id is in two replica groups");
      seen[id] = 1;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> ReadGroupSize(const Module& module, InstructionId id) {
  const auto groups = GetReplicaGroups(module, id);
  if (!groups.has_value()) return -1;
  const auto size = groups->UniformSize();
  if (!size.has_value()) return Mismatch("the replica groups do not fit their mesh");
  if (*size >= 0) TESSERA_RETURN_IF_ERROR(CheckIds(groups->list));
  return *size;
}

// The arrays of a collective: the shape itself or the elements of a tuple.
absl::Span<const Shape> Arrays(const Shape& shape) {
  return shape.is_tuple() ? shape.tuple_elements() : absl::MakeConstSpan(&shape, 1);
}

// Each operand has its result; `check(operand, result)` judges a pair.
template <typename GroupCheck>
absl::Status ForEachPair(const Module& module, InstructionId id, GroupCheck check) {
  const absl::Span<const Shape> results = Arrays(module.shape(id));
  if (results.size() != module.operands(id).size()) {
    return Mismatch("there are ", module.operands(id).size(), " operands and ", results.size(),
                    " results");
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const absl::Status status = check(module.shape(module.operands(id)[i]), results[i]);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Dimension `d` of the larger one is `factor` times that of the smaller one, the others are equal.
absl::Status CheckScaled(const Shape& small, const Shape& large, int64_t d, int64_t factor) {
  if (small.rank() != large.rank() || d < 0 || d >= small.rank()) {
    return Mismatch("there is no dimension ", d);
  }
  for (int64_t i = 0; i < small.rank(); ++i) {
    if (small.is_unbounded(i) || large.is_unbounded(i) || (i == d && factor <= 0)) continue;
    int64_t wanted = small.dim(i);
    const bool fits = i != d || MultiplyFits(wanted, factor, &wanted);
    if (!fits || large.dim(i) != wanted) {
      return Mismatch("dimension ", i, " is ", large.dim(i), " but should be ", wanted);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAllGather(const Module& module, InstructionId id, int64_t size) {
  const int64_t d = GetDimension(module, id).value_or(-1);
  return ForEachPair(module, id, [&](const Shape& operand, const Shape& result) {
    return CheckScaled(operand, result, d, size);
  });
}

absl::Status CheckReduceScatter(const Module& module, InstructionId id, int64_t size) {
  const int64_t d = GetDimension(module, id).value_or(-1);
  return ForEachPair(module, id, [&](const Shape& operand, const Shape& result) {
    return CheckScaled(result, operand, d, size);
  });
}

absl::Status CheckAllReduce(const Module& module, InstructionId id, int64_t /*size*/) {
  return ForEachPair(module, id, [](const Shape& operand, const Shape& result) {
    return layout::CompatibleIgnoringFloatPrecision(operand, result)
               ? absl::OkStatus()
               : Mismatch("result and operand differ");
  });
}

absl::Status CheckAllToAll(const Module& module, InstructionId id, int64_t size) {
  const auto d = GetDimension(module, id);
  if (!d.has_value()) return absl::OkStatus();
  const Shape& operand = module.shape(module.operands(id)[0]);
  if (*d < 0 || *d >= operand.rank()) return Mismatch("there is no dimension ", *d);
  if (size > 0 && !operand.is_unbounded(*d) && operand.dim(*d) % size != 0) {
    return Mismatch("dimension ", *d, " is not divisible by the group size ", size);
  }
  return absl::OkStatus();
}

using GroupCheck = absl::Status (*)(const Module&, InstructionId, int64_t group_size);
constexpr OpcodeTable<GroupCheck> kGroupChecks({
    {Opcode::kAllGather, CheckAllGather},
    {Opcode::kAllReduce, CheckAllReduce},
    {Opcode::kAllToAll, CheckAllToAll},
    {Opcode::kReduceScatter, CheckReduceScatter},
});

}  // namespace

bool HasGroupRules(Opcode opcode) { return kGroupChecks[opcode] != nullptr; }

absl::Status CheckCollective(const Module& module, InstructionId id, GroupSizes* groups) {
  const GroupCheck check = kGroupChecks[module.instruction(id).opcode];
  if (check == nullptr) return absl::OkStatus();
  TESSERA_ASSIGN_OR_RETURN(const int64_t size,
                           groups->Of(module, id, A::kReplicaGroups, ReadGroupSize));
  return check(module, id, size);
}

absl::Status CheckCollectivePermute(const Module& module, InstructionId id) {
  absl::flat_hash_set<int64_t> sources, targets;
  const auto pairs = GetIntLists(module, id, A::kSourceTargetPairs);
  for (const IntList& pair : pairs.value_or(std::vector<IntList>())) {
    for (const int64_t device : pair) {
      if (device < 0) return Mismatch("there is no device ", device);
    }
    if (!sources.insert(pair[0]).second) return Mismatch("id ", pair[0], " sends twice");
    if (!targets.insert(pair[1]).second) return Mismatch("id ", pair[1], " receives twice");
  }
  // Several operands: arrays that go together, or a place in an array.
  if (module.operands(id).size() > 1 ||
      layout::CompatibleIgnoringFloatPrecision(module.shape(module.operands(id)[0]),
                                               module.shape(id))) {
    return absl::OkStatus();
  }
  return Mismatch("result and operand differ");
}

}  // namespace tessera::hlo
