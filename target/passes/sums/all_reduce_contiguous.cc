// all-reduce-contiguous: an all-reduce of several arrays becomes one of a single flat array.
//
//   (f32[8,4], f32[4]) all-reduce(x, y)
//   ->  slices of f32[36] all-reduce(concatenate(bitcast(x), bitcast(y)))
//
// All arrays have one element type.

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/device_program.h"
#include "tessera/target/program/walk.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

bool IsOfSeveral(const DeviceProgram& program, InstructionId id) {
  if (program.opcode(id) != Opcode::kAllReduce || program.operands(id).size() < 2) return false;
  const auto type = program.shape(program.operand(id, 0)).element_type();
  return !program.IsPinned(id) && absl::c_all_of(program.operands(id), [&](InstructionId operand) {
    return program.shape(operand).is_array() && program.shape(operand).element_type() == type;
  });
}

layout::Shape Flat(const layout::Shape& like, int64_t elements) {
  return Resized(like, {elements});
}

void Flatten(Context& context, InstructionId sum) {
  DeviceProgram& program = context.program;
  const std::vector<InstructionId> operands(program.operands(sum).begin(),
                                            program.operands(sum).end());
  const ComputationId c = program.computation(sum);
  const layout::Shape first = program.shape(operands[0]);
  std::vector<InstructionId> flat;
  std::vector<int64_t> ends = {0};
  for (const InstructionId operand : operands) {
    const int64_t elements = program.shape(operand).NumElements().value_or(0);
    flat.push_back(AddBitcast(program, operand, Flat(first, elements)));
    ends.push_back(ends.back() + elements);
  }
  const layout::Shape all = Flat(first, ends.back());
  const InstructionId joined = AddConcatenate(program, flat, all, 0);
  const InstructionId one = program.Clone(sum, {joined}, all);
  context.origins.Copy(sum, one);
  std::vector<InstructionId> results;
  for (size_t k = 0; k < operands.size(); ++k) {
    const InstructionId part =
        program.Add(c, Opcode::kSlice, "slice", Flat(first, ends[k + 1] - ends[k]), {one});
    program.SetAttribute(part, AttributeName::kSlice,
                         absl::StrCat("{[", ends[k], ":", ends[k + 1], "]}"));
    results.push_back(AddBitcast(program, part, program.shape(operands[k])));
  }
  program.ReplaceUses(sum, program.Add(c, Opcode::kTuple, "tuple", program.shape(sum), results));
  program.RemoveDead(sum);
}

}  // namespace

absl::Status MakeAllReducesContiguous(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (IsOfSeveral(program, id)) Flatten(context, id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
