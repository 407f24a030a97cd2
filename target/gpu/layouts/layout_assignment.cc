#include "tessera/target/gpu/layouts/layout_assignment.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/target/gpu/layouts/layout_constraints.h"
#include "tessera/target/gpu/layouts/normalization.h"

namespace tessera::target {
namespace {

// Loops, branches and the entry; not what a reduction or a fusion applies.
std::vector<ComputationId> ComputationsThatRun(DeviceProgram& program) {
  std::vector<bool> runs(program.module().num_computations());
  runs[program.module().entry_id()] = true;
  const std::vector<ComputationId> all = program.Computations();
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    if (!runs[*it]) continue;
    for (const InstructionId id : program.module().computation(*it).instructions) {
      if (program.IsRemoved(id)) continue;
      const Opcode opcode = program.opcode(id);
      if (opcode != Opcode::kWhile && opcode != Opcode::kConditional) continue;
      for (const ComputationId callee : program.module().called(id)) runs[callee] = true;
    }
  }
  std::vector<ComputationId> running;
  for (const ComputationId c : all) {
    if (runs[c]) running.push_back(c);
  }
  return running;
}

}  // namespace

absl::Status AssignLayouts(Context& context) {
  DeviceProgram& program = context.program;
  const std::vector<ComputationId> computations = ComputationsThatRun(program);
  const LayoutConstraints layouts(program, computations, context.target.chip->compute_capability);
  OrdersOfComputations borders;
  for (const ComputationId c : computations) borders[c] = layouts.BordersOf(c);
  for (const ComputationId c : computations) WriteOrders(program, c, layouts, borders);
  return absl::OkStatus();
}

}  // namespace tessera::target
