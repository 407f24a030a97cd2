// dynamic-slice(x[64,24], 63, 0), sizes 4 and 24  ->  slice(x), slice={[60:64], [0:24]}
//
// A start that is a constant is moved back into the array, as a dynamic one is. All starts are constants: so it is in
// four probes of the compilers of GPUs and TPUs. A scatter of one column reads what it adds to in this way. Tested by
// tpu_rules_test.cc.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/literal.h"
#include "tessera/layout/shape.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

// Of a constant, reshaped or not.
std::optional<int64_t> ConstantStart(const DeviceProgram& program, InstructionId id) {
  while (program.opcode(id) == Opcode::kReshape) id = program.operand(id, 0);
  if (program.opcode(id) != Opcode::kConstant) return std::nullopt;
  return hlo::SplatInt(program.module(), id);
}

}  // namespace

InstructionId SliceAtConstants(DeviceProgram& program, InstructionId id) {
  const InstructionId x = program.operand(id, 0);
  const layout::Shape whole = program.shape(x), part = program.shape(id);
  if (program.operands(id).size() != static_cast<size_t>(whole.rank()) + 1) return kNoId;
  std::vector<hlo::SliceDimension> ranges;
  for (int64_t d = 0; d < whole.rank(); ++d) {
    const auto start = ConstantStart(program, program.operand(id, static_cast<size_t>(d) + 1));
    if (!start.has_value()) return kNoId;
    const int64_t first = std::clamp<int64_t>(*start, 0, whole.dim(d) - part.dim(d));
    ranges.push_back({first, first + part.dim(d), 1});
  }
  return AddSlice(program, x, ranges, part);
}

}  // namespace tessera::target
