// concatenate(slice(x, [0:8]), slice(x, [8:20]), y)  ->  concatenate(slice(x, [0:20]), y)
//
// Slices of one array, each of which begins where the one before it ends, are one; all of x is x itself. So it is in
// the compilers of GPUs and TPUs. Tested by tpu_rules_test.cc.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/layout/shape.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

using Ranges = std::vector<hlo::SliceDimension>;

struct Part {
  InstructionId id = kNoId;
  Ranges ranges;  // of a slice; else none
  bool is_longer = false;
};

// Whether `next` begins where `part` ends, and is like it otherwise; then `part` is both.
bool Extends(const DeviceProgram& program, size_t d, const Part& next, Part* part) {
  if (part->ranges.empty() || next.ranges.empty()) return false;
  if (program.operand(part->id, 0) != program.operand(next.id, 0)) return false;
  for (size_t k = 0; k < next.ranges.size(); ++k) {
    const auto &a = part->ranges[k], &b = next.ranges[k];
    if (a.stride != 1 || b.stride != 1) return false;
    const bool fits = k == d ? a.limit == b.start : a.start == b.start && a.limit == b.limit;
    if (!fits) return false;
  }
  part->ranges[d].limit = next.ranges[d].limit;
  part->is_longer = true;
  return true;
}

InstructionId SliceOf(DeviceProgram& program, const Part& part) {
  if (!part.is_longer) return part.id;
  const InstructionId x = program.operand(part.id, 0);
  IntList sizes;
  for (const hlo::SliceDimension& range : part.ranges) sizes.push_back(range.limit - range.start);
  if (program.shape(x).dims() == sizes) return x;
  return AddSlice(program, x, part.ranges, Resized(program.shape(x), sizes));
}

}  // namespace

InstructionId JoinSlices(DeviceProgram& program, InstructionId joined) {
  const int64_t d = DimensionsOf(program, joined)[0];
  std::vector<Part> parts;
  for (const InstructionId operand : program.operands(joined)) {
    Part next = {operand, {}};
    if (program.opcode(operand) == Opcode::kSlice) {
      next.ranges = hlo::GetSlice(program.module(), operand);
    }
    if (!parts.empty() && Extends(program, static_cast<size_t>(d), next, &parts.back())) continue;
    parts.push_back(std::move(next));
  }
  if (parts.size() == program.operands(joined).size()) return kNoId;
  std::vector<InstructionId> operands;
  for (const Part& part : parts) operands.push_back(SliceOf(program, part));
  return operands.size() == 1 ? operands[0]
                              : AddConcatenate(program, operands, program.shape(joined), d);
}

}  // namespace tessera::target
