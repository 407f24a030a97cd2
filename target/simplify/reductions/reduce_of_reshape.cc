// f32[] reduce(f32[128] reshape(x[8,16]), 0), dimensions={0}  ->  f32[] reduce(x, 0), dimensions={0,1}
//
// The reshape leaves the dimensions that the reduce keeps as they are. So a norm of a flattened array
// needs none of it gathered.
//
// f32[2,64] reduce(f32[2,64,160] reshape(x[128,160]), 0), dimensions={2}
//   ->  reshape(f32[128] reduce(x, 0), dimensions={1})
//
// The reshape leaves the dimensions that the reduce takes away as they are: so it is in nine probes of the compilers
// of GPUs and TPUs.
//
// f32[32] reduce(f32[16,32,64] reshape(x[16,2048]), 0), dimensions={0,2}
//   ->  reduce(f32[32,64] reshape(reduce(x, 0), dimensions={0}), 0), dimensions={1}
//
// TPUs also reduce first what the reshape leaves as it is; the rest, if there is any, stays after the reshape. The
// reshape may stand in front of element-wise operations, which may have other readers: reduce(multiply(reshape(x),
// reshape(y))) is one of multiply(x, y). Joined arrays that they read are reshaped.

#include "absl/algorithm/container.h"
#include "tessera/sharding/rules/op_traits.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

constexpr int kMostSteps = 5;

struct TwoSteps {
  IntList first;           // dimensions in front of the reshape
  IntList reshaped, rest;  // sizes after it, and which of these dimensions go
};

// A part of the reshape all of whose dimensions go, goes in front of it.
TwoSteps InTwoSteps(const layout::Shape& x, const layout::Shape& reshaped, const IntList& reduced) {
  const auto is_reduced = [&](int64_t d) { return absl::c_linear_search(reduced, d); };
  TwoSteps steps;
  const auto parts = PartsOfReshape(x, reshaped);
  if (!parts.has_value()) return steps;
  for (const ReshapePart& part : *parts) {
    bool is_whole = part.to < part.to_end;
    for (int64_t d = part.to; d < part.to_end; ++d) is_whole &= is_reduced(d);
    for (int64_t d = part.from; d < part.from_end && is_whole; ++d) steps.first.push_back(d);
    for (int64_t d = part.to; d < part.to_end && !is_whole; ++d) {
      if (is_reduced(d)) steps.rest.push_back(static_cast<int64_t>(steps.reshaped.size()));
      steps.reshaped.push_back(reshaped.dim(d));
    }
  }
  return steps;
}

// The reshape that `x` is, or that an element-wise `x` reads, at most so many steps back.
InstructionId ReshapeOf(const DeviceProgram& program, InstructionId x, int steps) {
  if (program.opcode(x) == Opcode::kReshape) return x;
  if (steps == 0 || !sharding::rules::IsElementWiseOpcode(program.opcode(x))) return kNoId;
  for (const InstructionId operand : program.operands(x)) {
    const InstructionId found = ReshapeOf(program, operand, steps - 1);
    if (found != kNoId) return found;
  }
  return kNoId;
}

}  // namespace

InstructionId ReduceBeforeReshape(DeviceProgram& program, InstructionId reduce) {
  if (!IsReduceOfOneArray(program, reduce)) return kNoId;
  const InstructionId reshape = program.operand(reduce, 0);
  if (program.opcode(reshape) != Opcode::kReshape) return kNoId;
  const InstructionId x = program.operand(reshape, 0);
  const layout::Shape before = program.shape(x), shape = program.shape(reduce);
  const IntList kept = KeptByReshape(program.shape(reshape), before);
  const IntList reduced = DimensionsOf(program, reduce);
  IntList left, gone;  // dimensions of x; -1: none of its own
  for (int64_t d = 0; d < program.shape(reshape).rank(); ++d) {
    (absl::c_linear_search(reduced, d) ? gone : left).push_back(kept[d]);
  }
  const bool leaves_kept = !absl::c_linear_search(left, -1);
  if (!leaves_kept && absl::c_linear_search(gone, -1)) return kNoId;
  IntList dimensions;
  for (int64_t d = 0; d < before.rank(); ++d) {
    const bool goes =
        leaves_kept ? !absl::c_linear_search(left, d) : absl::c_linear_search(gone, d);
    if (goes) dimensions.push_back(d);
  }
  const InstructionId direct = ReduceOver(program, reduce, x, dimensions);
  return leaves_kept ? direct : AddReshape(program, direct, shape);
}

InstructionId ReduceKeptDimensionsFirst(DeviceProgram& program, InstructionId reduce) {
  if (!IsReduceOfOneArray(program, reduce)) return kNoId;
  const InstructionId operand = program.operand(reduce, 0);
  const InstructionId reshape = ReshapeOf(program, operand, kMostSteps);
  if (reshape == kNoId) return kNoId;
  const layout::Shape before =
      Resized(program.shape(operand), program.shape(program.operand(reshape, 0)).dims());
  const TwoSteps steps = InTwoSteps(before, program.shape(operand), DimensionsOf(program, reduce));
  if (steps.first.empty()) return kNoId;
  const InstructionId x =
      reshape == operand ? program.operand(reshape, 0) : ReshapeLeaves(program, operand, before);
  if (x == kNoId) return kNoId;
  const layout::Shape shape = program.shape(reduce);
  const InstructionId first = ReduceOver(program, reduce, x, steps.first);
  const InstructionId rest = AddReshape(program, first, Resized(shape, steps.reshaped));
  return steps.rest.empty() ? rest : ReduceOver(program, reduce, rest, steps.rest);
}

}  // namespace tessera::target
