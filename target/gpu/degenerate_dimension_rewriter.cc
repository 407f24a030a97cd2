// degenerate-dimension-rewriter: elementwise operations have no dimensions of size 1.
//
//   a = f32[8,1] reshape(x: f32[8])
//   b = f32[8,1] multiply(a, broadcast(n))      ->   multiply(x, broadcast(n) of f32[8]), reshaped
//
// What stands around them has to allow it: reshapes, broadcasts, reductions, gathers, concatenates, constants,
// iotas and what a loop carries unchanged do, as does what is reshaped in this way already. Operands of an
// operation come before it, so each stands between reshapes, which algsimp then merges.
//
// Cost: linear in the elementwise operations between such leaves. Tested by
// recorded_passes_test.cc.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/sharding/rules/op_traits.h"
#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

// In XLA, which fears for its stack.
constexpr int kDeepest = 128;

constexpr Opcode kLeaves[] = {
    Opcode::kBroadcast,    Opcode::kConcatenate, Opcode::kConstant,
    Opcode::kGather,       Opcode::kIota,        Opcode::kReduce,
    Opcode::kReduceWindow, Opcode::kReshape,     Opcode::kSelectAndScatter,
};

bool IsElementwise(const DeviceProgram& program, InstructionId id) {
  if (program.opcode(id) == Opcode::kCopy || program.operands(id).empty()) return false;
  return sharding::rules::IsElementWiseOpcode(program.opcode(id)) && program.shape(id).is_array() &&
         absl::c_all_of(program.operands(id), [&](InstructionId operand) {
           return program.shape(operand).dims() == program.shape(id).dims();
         });
}

// An element of the parameter of a loop's body that is the same element of its result, or of some tuple.
bool IsCarriedUnchanged(const DeviceProgram& program, InstructionId id) {
  if (program.opcode(id) != Opcode::kGetTupleElement) return false;
  if (program.opcode(program.operand(id, 0)) != Opcode::kParameter) return false;
  const auto at = static_cast<size_t>(hlo::GetTupleIndex(program.module(), id));
  bool is_carried = false;
  program.ForEachUse(id, [&](InstructionId user) {
    is_carried |= program.opcode(user) == Opcode::kTuple && at < program.operands(user).size() &&
                  program.operand(user, at) == id;
  });
  return is_carried && program.computation(id) != program.module().entry_id();
}

// A reshape of it that has these sizes; kNoId where there is none.
InstructionId ReshapedAlready(const DeviceProgram& program, InstructionId id,
                              const IntList& sizes) {
  InstructionId found = kNoId;
  program.ForEachUse(id, [&](InstructionId user) {
    const bool fits = program.opcode(user) == Opcode::kReshape &&
                      absl::c_equal(program.shape(user).dims(), sizes);
    if (fits && found == kNoId) found = user;
  });
  return found;
}

// Elementwise operations of one shape, back to their leaves.
class Group {
 public:
  Group(DeviceProgram& program, InstructionId root)
      : program_(program), sizes_(SizesWithoutOnes(program.shape(root))) {}

  bool CanShrink(InstructionId id, int depth = 0) {
    if (depth > kDeepest) return false;
    if (!seen_.insert(id).second) return true;
    return absl::c_all_of(program_.operands(id), [&](InstructionId operand) {
      if (IsLeaf(operand)) return true;
      if (IsElementwise(program_, operand)) return CanShrink(operand, depth + 1);
      return ReshapedAlready(program_, operand, sizes_) != kNoId;
    });
  }

  InstructionId Shrunk(InstructionId id) {
    const auto found = shrunk_.find(id);
    if (found != shrunk_.end()) return found->second;
    const InstructionId made = MakeShrunk(id);
    shrunk_[id] = made;
    return made;
  }

 private:
  bool IsLeaf(InstructionId id) const {
    return absl::c_linear_search(kLeaves, program_.opcode(id)) || IsCarriedUnchanged(program_, id);
  }

  InstructionId MakeShrunk(InstructionId id) {
    const layout::Shape shape = Resized(program_.shape(id), sizes_);
    if (program_.opcode(id) == Opcode::kConcatenate) return Concatenated(id, shape);
    if (!IsElementwise(program_, id)) return Reshaped(id, shape);
    std::vector<InstructionId> operands;
    for (size_t k = 0; k < program_.operands(id).size(); ++k) {
      operands.push_back(Shrunk(program_.operand(id, k)));
    }
    return program_.Clone(id, operands, shape);
  }

  InstructionId Reshaped(InstructionId id, const layout::Shape& shape) {
    if (program_.opcode(id) == Opcode::kReshape) {
      return ReshapeTo(program_, program_.operand(id, 0), shape);
    }
    if (!IsLeaf(id)) return ReshapedAlready(program_, id, sizes_);
    if (program_.opcode(id) == Opcode::kBroadcast) return Broadcast(id, shape);
    return AddReshape(program_, id, shape);
  }

  InstructionId Broadcast(InstructionId id, const layout::Shape& shape) {
    const layout::Shape operand = program_.shape(program_.operand(id, 0));
    const IntList to = DimensionsOf(program_, id);
    IntList sizes, places;
    for (int64_t d = 0; d < operand.rank(); ++d) {
      const int64_t at = to[static_cast<size_t>(d)];
      if (program_.shape(id).dim(at) == 1) continue;
      sizes.push_back(operand.dim(d));
      places.push_back(PlaceWithoutOnes(id, at));
    }
    const InstructionId small =
        ReshapeTo(program_, program_.operand(id, 0), Resized(operand, sizes));
    return sizes == sizes_ ? small : AddBroadcast(program_, small, shape, places);
  }

  // Of operands without dimensions of size 1, unless it is along one.
  InstructionId Concatenated(InstructionId id, const layout::Shape& shape) {
    const int64_t along = DimensionsOf(program_, id)[0];
    if (program_.shape(id).dim(along) == 1) return AddReshape(program_, id, shape);
    const int64_t place = PlaceWithoutOnes(id, along);
    std::vector<InstructionId> operands;
    for (size_t k = 0; k < program_.operands(id).size(); ++k) {
      const InstructionId operand = program_.operand(id, k);
      IntList sizes = sizes_;
      sizes[static_cast<size_t>(place)] = program_.shape(operand).dim(along);
      operands.push_back(ReshapeTo(program_, operand, Resized(program_.shape(operand), sizes)));
    }
    const InstructionId made = program_.Clone(id, operands, shape);
    program_.SetAttribute(made, AttributeName::kDimensions, hlo::PrintInts({place}));
    return made;
  }

  // Where dimension `d` of an instruction is without those of size 1.
  int64_t PlaceWithoutOnes(InstructionId id, int64_t d) const {
    const auto sizes = program_.shape(id).dims();
    return d - std::count(sizes.begin(), sizes.begin() + d, 1);
  }

  DeviceProgram& program_;
  const IntList sizes_;
  absl::flat_hash_set<InstructionId> seen_;
  absl::flat_hash_map<InstructionId, InstructionId> shrunk_;
};

bool IsCandidate(const DeviceProgram& program, InstructionId id) {
  if (program.IsRemoved(id) || program.IsPinned(id) || !IsElementwise(program, id)) return false;
  return HasOnes(program.shape(id)) && !SizesWithoutOnes(program.shape(id)).empty();
}

}  // namespace

absl::Status RewriteDegenerateDimensions(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (!IsCandidate(program, id)) continue;
    Group group(program, id);
    if (!group.CanShrink(id)) continue;
    program.ReplaceUses(id, AddReshape(program, group.Shrunk(id), program.shape(id)));
    program.RemoveDead(id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
