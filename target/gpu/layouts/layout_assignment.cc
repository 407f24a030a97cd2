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

std::vector<Order> DefaultOrders(const layout::Shape& shape) {
  std::vector<Order> orders;
  if (!shape.is_tuple()) return {DefaultOrder(shape.dims().size())};
  for (const layout::Shape& element : shape.tuple_elements())
    orders.push_back(DefaultOrder(element.dims().size()));
  return orders;
}

// Of the entry and of branches: row-major.
BorderOrders PlainBorders(const DeviceProgram& program, ComputationId c) {
  const hlo::Computation& computation = program.module().computation(c);
  BorderOrders borders;
  for (const InstructionId p : computation.parameters) {
    for (Order& order : DefaultOrders(program.shape(p)))
      borders.arguments.push_back(std::move(order));
  }
  borders.results = DefaultOrders(program.shape(computation.root));
  return borders;
}

// Conditions by their bodies.
absl::flat_hash_map<ComputationId, ComputationId> ConditionsOf(
    const DeviceProgram& program, const std::vector<ComputationId>& computations) {
  absl::flat_hash_map<ComputationId, ComputationId> conditions;
  for (const ComputationId c : computations) {
    for (const InstructionId id : program.module().computation(c).instructions) {
      if (program.IsRemoved(id) || program.opcode(id) != Opcode::kWhile) continue;
      conditions[program.module().called(id)[0]] = program.module().called(id)[1];
    }
  }
  return conditions;
}

}  // namespace

absl::Status AssignLayouts(Context& context) {
  DeviceProgram& program = context.program;
  const std::vector<ComputationId> computations = ComputationsThatRun(program);
  const auto conditions = ConditionsOf(program, computations);
  OrdersOfComputations borders;
  for (const ComputationId c : computations) borders[c] = PlainBorders(program, c);
  for (const ComputationId c : computations) {
    const auto condition = conditions.find(c);
    if (condition == conditions.end()) continue;
    borders[c] = LayoutConstraints(program, c, {}, borders).Borders();
    borders[c].arguments = borders[c].results;  // a loop carries what its body leaves
    borders[condition->second].arguments = borders[c].results;
  }
  for (const ComputationId c : computations) {
    const LayoutConstraints layouts(program, c, borders[c], borders);
    WriteOrders(program, c, layouts, borders);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
