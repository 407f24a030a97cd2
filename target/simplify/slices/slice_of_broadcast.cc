// slice(broadcast(x[24]) to [8,64,24], [0:8], [5:20], [3:9])  ->  broadcast(slice(x, [3:9])) to [8,15,6]
// dynamic-slice(broadcast(x[24]) to [64,24], i, 0) of 4 rows   ->  broadcast(x) to [4,24]
//
// Nothing is exchanged for what is repeated along a cut dimension: a scan multiplies such factors in its steps. A
// dynamic-slice takes all of x, or stays. So it is in seven probes of the compilers of GPUs and TPUs. Tested by
// tpu_rules_test.cc.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/layout/shape.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {

InstructionId SliceBeforeBroadcast(DeviceProgram& program, InstructionId slice) {
  const InstructionId broadcast = program.operand(slice, 0);
  if (program.opcode(broadcast) != Opcode::kBroadcast) return kNoId;
  InstructionId x = program.operand(broadcast, 0);
  const IntList places = DimensionsOf(program, broadcast);
  const layout::Shape shape = program.shape(slice);
  const auto ranges = hlo::GetSlice(program.module(), slice);
  std::vector<hlo::SliceDimension> of_x;
  IntList sizes;
  for (const int64_t place : places) {
    of_x.push_back(ranges[static_cast<size_t>(place)]);
    sizes.push_back(shape.dim(place));
  }
  if (program.shape(x).dims() != sizes) {
    x = AddSlice(program, x, of_x, Resized(program.shape(x), sizes));
  }
  return AddBroadcast(program, x, shape, places);
}

InstructionId RepeatLess(DeviceProgram& program, InstructionId part) {
  const InstructionId broadcast = program.operand(part, 0);
  if (program.opcode(broadcast) != Opcode::kBroadcast) return kNoId;
  const InstructionId x = program.operand(broadcast, 0);
  const IntList places = DimensionsOf(program, broadcast);
  const layout::Shape shape = program.shape(part);
  for (size_t d = 0; d < places.size(); ++d) {
    if (program.shape(x).dim(static_cast<int64_t>(d)) != shape.dim(places[d])) return kNoId;
  }
  return AddBroadcast(program, x, shape, places);
}

}  // namespace tessera::target
