// barrier-remover: what goes through an optimization barrier is itself.
//
//   b = (f32[8], f32[4]) opt-barrier(t)     ->  t in its place
//
// Barriers keep what the backward pass computes again apart from the first. The final modules of TPUs have
// gathers once, but products of both passes, and all that follows from them. Cost: linear.

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

}  // namespace

absl::Status RemoveBarriers(Context& context) {
  DeviceProgram& program = context.program;
  for (const ComputationId c : program.Computations()) {
    const std::vector<InstructionId> order = program.PostOrder(c);
    FindRecomputed(program, order, &context.recomputed);
    for (const InstructionId id : order) {
      if (program.opcode(id) != Opcode::kOptBarrier || program.IsPinned(id)) continue;
      program.ReplaceUses(id, program.operand(id, 0));
      program.RemoveDead(id);
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
