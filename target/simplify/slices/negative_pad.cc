// pad(x[8], 0), padding=-1_2  ->  slice(pad(x, 0), padding=0_2, [1:10])
//
// The gradient of a pad or concatenate cuts in this way. Without other padding it is a slice of x. So it is in three
// probes of the compilers of GPUs and TPUs. Tested by tpu_rules_test.cc.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/layout/shape.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {

InstructionId SliceInPlaceOfCut(DeviceProgram& program, InstructionId pad) {
  std::vector<hlo::PaddingDimension> padding = hlo::GetPadding(program.module(), pad);
  const layout::Shape shape = program.shape(pad);
  bool pads = false, cuts = false;
  std::vector<hlo::SliceDimension> ranges;
  IntList sizes;
  for (size_t d = 0; d < padding.size(); ++d) {
    hlo::PaddingDimension& p = padding[d];
    const int64_t low = std::max<int64_t>(-p.low, 0), high = std::max<int64_t>(-p.high, 0);
    const int64_t size = shape.dim(static_cast<int64_t>(d));
    ranges.push_back({low, low + size, 1});
    sizes.push_back(low + size + high);
    p.low += low;
    p.high += high;
    cuts |= low > 0 || high > 0;
    pads |= p.low != 0 || p.high != 0 || p.interior != 0;
  }
  if (!cuts) return kNoId;
  const InstructionId x =
      pads ? PadAs(program, pad, padding, Resized(shape, sizes)) : program.operand(pad, 0);
  return AddSlice(program, x, ranges, shape);
}

InstructionId StepOnce(DeviceProgram& program, InstructionId slice) {
  std::vector<hlo::SliceDimension> ranges = hlo::GetSlice(program.module(), slice);
  bool is_changed = false;
  for (size_t d = 0; d < ranges.size(); ++d) {
    if (ranges[d].stride == 1 || program.shape(slice).dim(static_cast<int64_t>(d)) != 1) continue;
    ranges[d] = {ranges[d].start, ranges[d].start + 1, 1};
    is_changed = true;
  }
  if (!is_changed) return kNoId;
  const InstructionId made =
      program.Clone(slice, {program.operand(slice, 0)}, program.shape(slice));
  program.SetAttribute(made, hlo::AttributeName::kSlice, hlo::PrintSlice(ranges));
  return made;
}

}  // namespace tessera::target
