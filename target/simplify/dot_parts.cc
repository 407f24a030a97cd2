#include "tessera/target/simplify/dot_parts.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

DotSide SideOf(IntList batch, IntList contracting, int64_t rank) {
  DotSide side = {std::move(batch), std::move(contracting), {}};
  for (int64_t d = 0; d < rank; ++d) {
    if (absl::c_linear_search(side.batch, d)) continue;
    if (!absl::c_linear_search(side.contracting, d)) side.free.push_back(d);
  }
  return side;
}

void SetOrRemove(DeviceProgram& program, InstructionId id, AttributeName name,
                 const IntList& numbers) {
  if (numbers.empty()) {
    program.RemoveAttribute(id, name);
  } else {
    program.SetAttribute(id, name, hlo::PrintInts(numbers));
  }
}

}  // namespace

DotParts PartsOf(const DeviceProgram& program, InstructionId dot) {
  hlo::DotDimensions d = hlo::GetDotDimensions(program.module(), dot);
  return {SideOf(std::move(d.lhs_batch), std::move(d.lhs_contracting),
                 program.shape(program.operand(dot, 0)).rank()),
          SideOf(std::move(d.rhs_batch), std::move(d.rhs_contracting),
                 program.shape(program.operand(dot, 1)).rank())};
}

bool IsReplaceableDot(const DeviceProgram& program, InstructionId id) {
  return !program.IsRemoved(id) && program.opcode(id) == Opcode::kDot &&
         program.operands(id).size() == 2 && !program.IsPinned(id);
}

int64_t ElementsAlong(const layout::Shape& shape, const hlo::IntList& dimensions) {
  int64_t elements = 1;
  for (const int64_t d : dimensions) elements *= shape.dim(d);
  return elements;
}

void SetParts(DeviceProgram& program, InstructionId dot, const DotParts& parts) {
  SetOrRemove(program, dot, AttributeName::kLhsBatchDims, parts.left.batch);
  SetOrRemove(program, dot, AttributeName::kLhsContractingDims, parts.left.contracting);
  SetOrRemove(program, dot, AttributeName::kRhsBatchDims, parts.right.batch);
  SetOrRemove(program, dot, AttributeName::kRhsContractingDims, parts.right.contracting);
}

InstructionId CloneDot(DeviceProgram& program, InstructionId dot, InstructionId left,
                       InstructionId right, const DotParts& parts, const layout::Shape& shape) {
  const InstructionId clone = program.Clone(dot, {left, right}, shape);
  SetParts(program, clone, parts);
  return clone;
}

}  // namespace tessera::target
