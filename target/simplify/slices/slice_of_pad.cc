// slice(pad(x[8], z, 4_4), [5:10])  ->  slice(x, [1:6])
// slice(pad(x[8], z, 4_4), [0:3])   ->  broadcast(z)
//
// Of padding at the edges alone, where the slice takes nothing of it, or nothing else. So it is in the compilers of GPUs
// and TPUs. Tested by tpu_rules_test.cc.

#include <cstddef>
#include <cstdint>

#include "tessera/hlo/attributes.h"
#include "tessera/layout/shape.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {

InstructionId SliceBeforePad(DeviceProgram& program, InstructionId slice) {
  const InstructionId pad = program.operand(slice, 0);
  if (program.opcode(pad) != Opcode::kPad) return kNoId;
  const InstructionId x = program.operand(pad, 0);
  const auto ranges = hlo::GetSlice(program.module(), slice);
  const auto padding = hlo::GetPadding(program.module(), pad);
  bool is_inside = true, is_outside = false;
  IntList place;
  for (size_t d = 0; d < ranges.size(); ++d) {
    if (padding[d].interior != 0 || ranges[d].stride != 1) return kNoId;
    const int64_t begin = padding[d].low;
    const int64_t end = begin + program.shape(x).dim(static_cast<int64_t>(d));
    is_inside &= begin <= ranges[d].start && ranges[d].limit <= end;
    is_outside |= ranges[d].limit <= begin || end <= ranges[d].start;
    place.push_back(begin);
  }
  const layout::Shape shape = program.shape(slice);
  if (is_outside) return AddBroadcast(program, program.operand(pad, 1), shape, {});
  if (!is_inside) return kNoId;
  return shape.dims() == program.shape(x).dims() ? x : ShiftedSlice(program, slice, x, place);
}

}  // namespace tessera::target
