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
    if (Rearranges(program, operand)) {
      return operand == first || MoveAlike(program, operand, first);
    }
    return IsOneNumber(program, operand) || IsLine(program, operand, first);
  });
}

bool OnlyInsertsOnes(const DeviceProgram& program, InstructionId id) {
  const layout::Shape& before = program.shape(program.operand(id, 0));
  return program.opcode(id) == Opcode::kReshape && !HasOnes(before) &&
         SizesWithoutOnes(program.shape(id)) == IntList(before.dims().begin(), before.dims().end());
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

// The instruction in the place of `id`.
InstructionId Move(DeviceProgram& program, InstructionId id) {
  const InstructionId first = FirstRearranged(program, id);
  const std::vector<InstructionId> operands(program.operands(id).begin(),
                                            program.operands(id).end());
  const InstructionId begin = program.module().num_instructions();
  std::vector<InstructionId> back;
  for (const InstructionId operand : operands) back.push_back(Back(program, operand, first));
  const layout::Shape shape = Resized(program.shape(id), program.shape(id).dims());
  const layout::Shape before = program.shape(program.operand(first, 0));
  const InstructionId moved = program.Clone(id, back, Resized(shape, before.dims()));
  const InstructionId replacement = program.Clone(first, {moved}, shape);
  GiveMetadata(program, id, begin);
  program.ReplaceUses(id, replacement);
  program.RemoveDead(id);
  return replacement;
}

// What is moved makes candidates of its users only: of what they read it is a matter which shape that has, and
// whether it is a broadcast. The post-order of all candidates stays: what is moved stands where it stood.
class Mover {
 public:
  Mover(DeviceProgram& program, ComputationId c, Platform platform)
      : program_(program), c_(c), platform_(platform) {
    for (const InstructionId id : program.PostOrder(c)) Look(id);
    if (!candidates_.empty()) FindPlaces();
  }

  bool Run() {
    bool is_changed = false;
    for (;;) {
      const std::vector<InstructionId> movable = Movable();
      if (movable.empty()) return is_changed;
      for (const InstructionId id : movable) MoveOne(id);
      is_changed = true;
    }
  }

 private:
  void Look(InstructionId id) {
    const bool is_one = IsCandidate(program_, id);
    if (is_candidate_.size() <= id) {
      if (!is_one) return;
      is_candidate_.resize(program_.module().num_instructions());
    }
    if (is_one && !is_candidate_[id]) candidates_.push_back(id);
    is_candidate_[id] = is_one;
  }

  void FindPlaces() {
    uint32_t place = 0;
    places_.resize(program_.module().num_instructions());
    for (const InstructionId id : program_.PostOrder(c_)) places_[id] = place++;
  }

  void MoveOne(InstructionId id) {
    const bool is_start = !program_.HasUsers(id);
    const InstructionId replacement = Move(program_, id);
    const InstructionId moved = program_.operand(replacement, 0);
    places_.resize(program_.module().num_instructions());
    places_[moved] = places_[id];
    if (is_start) FindPlaces();
    Look(moved);
    program_.ForEachUse(replacement, [&](InstructionId user) { Look(user); });
  }

  // Those that still are candidates, in post-order.
  void Sort() {
    const auto is_none = [&](InstructionId id) {
      return program_.IsRemoved(id) || !is_candidate_[id];
    };
    candidates_.erase(std::remove_if(candidates_.begin(), candidates_.end(), is_none),
                      candidates_.end());
    absl::c_sort(candidates_,
                 [&](InstructionId a, InstructionId b) { return places_[a] < places_[b]; });
    candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
  }

  // Those of which every rearranged operand has no users but them, on TPUs or only gets dimensions of size 1.
  std::vector<InstructionId> Movable() {
    Sort();
    std::vector<InstructionId> candidates = candidates_;
    for (bool is_changed = true; is_changed;) {
      const absl::flat_hash_set<InstructionId> all(candidates.begin(), candidates.end());
      const auto is_read_by_others = [&](InstructionId id) {
        return absl::c_any_of(program_.operands(id),
                              [&](InstructionId operand) { return HasOtherUsers(operand, all); });
      };
      const size_t before = candidates.size();
      candidates.erase(std::remove_if(candidates.begin(), candidates.end(), is_read_by_others),
                       candidates.end());
      is_changed = candidates.size() != before;
    }
    return candidates;
  }

  bool HasOtherUsers(InstructionId operand, const absl::flat_hash_set<InstructionId>& all) const {
    if (!Rearranges(program_, operand)) return false;
    if (platform_ == Platform::kTpu && OnlyInsertsOnes(program_, operand)) return false;
    bool others = program_.IsRoot(operand);
    program_.ForEachUse(operand, [&](InstructionId user) { others |= !all.contains(user); });
    return others;
  }

  DeviceProgram& program_;
  const ComputationId c_;
  const Platform platform_;
  std::vector<InstructionId> candidates_;  // and more, until they are sorted
  std::vector<bool> is_candidate_;         // by instruction; empty where none was found
  std::vector<uint32_t> places_;           // by instruction, in post-order
};

}  // namespace

bool MoveReshapes(DeviceProgram& program, ComputationId c, Platform platform) {
  return Mover(program, c, platform).Run();
}

}  // namespace tessera::target
