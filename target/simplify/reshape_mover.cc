#include "tessera/target/simplify/reshape_mover.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/sharding/rules/op_traits.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/simplifier.h"

namespace tessera::target {
namespace {

bool Rearranges(const DeviceProgram& program, InstructionId id) {
  return program.opcode(id) == Opcode::kReshape || program.opcode(id) == Opcode::kTranspose;
}

// The same in any shape: one number everywhere.
bool IsOneNumber(const DeviceProgram& program, InstructionId id) {
  return program.opcode(id) == Opcode::kBroadcast &&
         program.shape(program.operand(id, 0)).rank() == 0;
}

// What lies along one dimension only, which a reshape leaves as it is.
bool IsLine(const DeviceProgram& program, InstructionId id, InstructionId rearrange) {
  if (program.opcode(id) != Opcode::kBroadcast || program.opcode(rearrange) != Opcode::kReshape) {
    return false;
  }
  if (program.shape(program.operand(id, 0)).rank() != 1) return false;
  const int64_t place = DimensionsOf(program, id)[0];
  const layout::Shape& before = program.shape(program.operand(rearrange, 0));
  return KeptByReshape(program.shape(rearrange), before)[place] >= 0;
}

bool MoveAlike(const DeviceProgram& program, InstructionId a, InstructionId b) {
  return program.opcode(a) == program.opcode(b) &&
         program.shape(program.operand(a, 0)).dims() ==
             program.shape(program.operand(b, 0)).dims() &&
         DimensionsOf(program, a) == DimensionsOf(program, b);
}

InstructionId FirstRearranged(const DeviceProgram& program, InstructionId id) {
  for (const InstructionId operand : program.operands(id)) {
    if (Rearranges(program, operand) && !IsOneNumber(program, program.operand(operand, 0))) {
      return operand;
    }
  }
  return kNoId;
}

bool IsCandidate(const DeviceProgram& program, InstructionId id) {
  if (!sharding::rules::IsElementWiseOpcode(program.opcode(id))) return false;
  const InstructionId first = FirstRearranged(program, id);
  if (first == kNoId || !MayBeSimplified(program, id)) return false;
  return absl::c_all_of(program.operands(id), [&](InstructionId operand) {
    if (program.shape(operand).dims() != program.shape(id).dims()) return false;
    if (Rearranges(program, operand)) return MoveAlike(program, operand, first);
    return IsOneNumber(program, operand) || IsLine(program, operand, first);
  });
}

bool OnlyInsertsOnes(const DeviceProgram& program, InstructionId id) {
  const layout::Shape& before = program.shape(program.operand(id, 0));
  return program.opcode(id) == Opcode::kReshape && !HasOnes(before) &&
         SizesWithoutOnes(program.shape(id)) == IntList(before.dims().begin(), before.dims().end());
}

// Those of which every rearranged operand has no users but them, on TPUs or only gets dimensions of size 1.
std::vector<InstructionId> Movable(DeviceProgram& program, ComputationId c, Platform platform) {
  const std::vector<InstructionId> order = program.PostOrder(c);
  std::vector<InstructionId> candidates;
  for (const InstructionId id : order) {
    if (IsCandidate(program, id)) candidates.push_back(id);
  }
  for (bool is_changed = true; is_changed;) {
    const absl::flat_hash_set<InstructionId> all(candidates.begin(), candidates.end());
    const auto has_other_users = [&](InstructionId operand) {
      if (!Rearranges(program, operand)) return false;
      if (platform == Platform::kTpu && OnlyInsertsOnes(program, operand)) return false;
      bool others = program.IsRoot(operand);
      program.ForEachUse(operand, [&](InstructionId user) { others |= !all.contains(user); });
      return others;
    };
    const size_t before = candidates.size();
    candidates.erase(std::remove_if(candidates.begin(), candidates.end(),
                                    [&](InstructionId id) {
                                      return absl::c_any_of(program.operands(id), has_other_users);
                                    }),
                     candidates.end());
    is_changed = candidates.size() != before;
  }
  return candidates;
}

// The operand as it was before `rearrange`.
InstructionId Back(DeviceProgram& program, InstructionId operand, InstructionId rearrange) {
  if (Rearranges(program, operand)) return program.operand(operand, 0);
  const layout::Shape before = program.shape(program.operand(rearrange, 0));
  const layout::Shape shape = Resized(program.shape(operand), before.dims());
  IntList places = DimensionsOf(program, operand);
  if (!places.empty()) places[0] = KeptByReshape(program.shape(rearrange), before)[places[0]];
  return AddBroadcast(program, program.operand(operand, 0), shape, places);
}

void Move(DeviceProgram& program, InstructionId id) {
  const InstructionId first = FirstRearranged(program, id);
  const std::vector<InstructionId> operands(program.operands(id).begin(),
                                            program.operands(id).end());
  const InstructionId begin = program.module().num_instructions();
  std::vector<InstructionId> back;
  for (const InstructionId operand : operands) back.push_back(Back(program, operand, first));
  const layout::Shape shape = Resized(program.shape(id), program.shape(id).dims());
  const layout::Shape before = program.shape(program.operand(first, 0));
  const InstructionId moved = program.Clone(id, back, Resized(shape, before.dims()));
  const InstructionId heir = program.Clone(first, {moved}, shape);
  GiveMetadata(program, id, begin);
  program.ReplaceUses(id, heir);
  program.RemoveDead(id);
}

}  // namespace

bool MoveReshapes(DeviceProgram& program, ComputationId c, Platform platform) {
  bool is_changed = false;
  for (;;) {
    const std::vector<InstructionId> movable = Movable(program, c, platform);
    if (movable.empty()) return is_changed;
    for (const InstructionId id : movable) Move(program, id);
    is_changed = true;
  }
}

}  // namespace tessera::target
