// barrier-remover: what goes through an optimization barrier is itself.
//
//   b = (f32[8], f32[4]) opt-barrier(t)     ->  t in its place
//
// Barriers keep what the backward pass computes again apart from the first. The final modules of TPUs have
// gathers once, but products of both passes, and all that follows from them. A slice at a computed place in front of a
// barrier is kept apart to the end, too: held-slices.
//
// held-slices: a barrier behind each of them. It is written, and not sliced in each kernel that reads it.
//
//   s = f32[1,8] dynamic-slice(p, i, z)     ->  b = f32[1,8] opt-barrier(s), read in its place
//
// Cost: linear.

#include <cstddef>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

// Of a computation: products that follow from a barrier.
void FindRecomputed(const DeviceProgram& program, const std::vector<InstructionId>& order,
                    absl::flat_hash_set<InstructionId>* products) {
  absl::flat_hash_set<InstructionId> behind;
  for (const InstructionId id : order) {
    const bool follows = program.opcode(id) == Opcode::kOptBarrier ||
                         absl::c_any_of(program.operands(id), [&](InstructionId operand) {
                           return behind.contains(operand);
                         });
    if (!follows) continue;
    behind.insert(id);
    if (IsProduct(program.opcode(id))) products->insert(id);
  }
}

void HoldSlices(const DeviceProgram& program, InstructionId barrier,
                std::vector<InstructionId>* slices) {
  const InstructionId read = program.operand(barrier, 0);
  const InstructionId holder = program.opcode(read) == Opcode::kTuple ? read : barrier;
  for (InstructionId id : program.operands(holder)) {
    while (program.opcode(id) == Opcode::kReshape) id = program.operand(id, 0);
    if (program.opcode(id) == Opcode::kDynamicSlice) slices->push_back(id);
  }
}

}  // namespace

absl::Status PutBarriersOnSlices(Context& context) {
  DeviceProgram& program = context.program;
  absl::flat_hash_set<InstructionId> held;
  for (const InstructionId id : context.held_slices) {
    if (program.IsRemoved(id) || !program.HasUsers(id) || !held.insert(id).second) continue;
    const std::vector<InstructionId> users = program.Users(id);
    const InstructionId barrier =
        program.Add(program.computation(id), Opcode::kOptBarrier, "held", program.shape(id), {id});
    for (const InstructionId user : users) program.ReplaceOperand(user, id, barrier);
  }
  return absl::OkStatus();
}

absl::Status RemoveBarriers(Context& context) {
  DeviceProgram& program = context.program;
  for (const ComputationId c : program.Computations()) {
    const std::vector<InstructionId> order = program.PostOrder(c);
    FindRecomputed(program, order, &context.recomputed);
    for (const InstructionId id : order) {
      if (program.opcode(id) != Opcode::kOptBarrier || program.IsPinned(id)) continue;
      HoldSlices(program, id, &context.held_slices);
      program.ReplaceUses(id, program.operand(id, 0));
      program.RemoveDead(id);
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
