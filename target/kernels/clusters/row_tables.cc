#include "tessera/target/kernels/clusters/row_tables.h"

#include <cstdint>

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/order.h"
#include "tessera/target/kernels/roles.h"
#include "tessera/target/layouts/layout_preferences.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

InstructionId SkipViews(const hlo::Module& module, InstructionId id) {
  while (IsView(module.instruction(id).opcode)) id = module.operands(id)[0];
  return id;
}

}  // namespace

bool IsIndexed(const hlo::Module& module, InstructionId id) {
  const Opcode opcode = module.instruction(id).opcode;
  return (opcode == Opcode::kGather || opcode == Opcode::kScatter) && !GathersSlabs(module, id);
}

RowTables::RowTables(const hlo::Module& module) : module_(module) {
  // Inner loops first.
  for (const hlo::ComputationId c : hlo::ComputationPostOrder(module)) {
    for (const InstructionId id : module.computation(c).instructions) {
      if (module.instruction(id).opcode == Opcode::kWhile) AddTables(id, module.called(id)[0]);
    }
  }
}

void RowTables::AddTables(InstructionId loop, hlo::ComputationId body) {
  for (const InstructionId parameter : module_.computation(body).parameters)
    parameters_.insert(parameter);
  for (const InstructionId id : module_.computation(body).instructions) {
    if (IsIndexed(module_, id)) AddElement(loop, body, module_.operands(id)[0]);
    if (module_.instruction(id).opcode != Opcode::kWhile) continue;
    const InstructionId tuple = module_.operands(id)[0];
    if (module_.instruction(tuple).opcode != Opcode::kTuple) continue;
    const auto starts = module_.operands(tuple);
    for (size_t k = 0; k < starts.size(); ++k) {
      if (Carries(id, k)) AddElement(loop, body, starts[k]);
    }
  }
}

void RowTables::AddElement(InstructionId loop, hlo::ComputationId body, InstructionId table) {
  const InstructionId element = SkipViews(module_, table);
  if (module_.instruction(element).opcode != Opcode::kGetTupleElement) return;
  const auto& parameters = module_.computation(body).parameters;
  const int64_t index = hlo::GetTupleIndex(module_, element);
  if (parameters.empty() || module_.operands(element)[0] != parameters[0] || index < 0) return;
  carried_.emplace(loop, static_cast<size_t>(index));
}

bool RowTables::IsCarried(InstructionId table) const {
  const InstructionId element = SkipViews(module_, table);
  return module_.instruction(element).opcode == Opcode::kGetTupleElement &&
         parameters_.contains(module_.operands(element)[0]);
}

}  // namespace tessera::target
