// slice(dynamic-update-slice(x, u, 0), [1:4])  ->  slice(x, [1:4])
// slice(dynamic-update-slice(x, u, 0), [0:1])  ->  u
//
// The place of the update is known. A slice beside the update reads only `x`, and a slice within it reads only `u`.
// The gradient of a pipeline sets the first stage to 0 and rolls the others.

#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/literal.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

using hlo::IntList;
using hlo::SliceDimension;

constexpr size_t kFirstIndex = 2;

// Where the update begins in each dimension; empty if that is not known, or not in the array.
IntList PlaceOf(const DeviceProgram& program, InstructionId update) {
  const layout::Shape &whole = program.shape(update),
                      &part = program.shape(program.operand(update, 1));
  IntList place;
  for (int64_t d = 0; d < whole.rank(); ++d) {
    InstructionId index = program.operand(update, kFirstIndex + static_cast<size_t>(d));
    while (program.opcode(index) == Opcode::kReshape) index = program.operand(index, 0);
    if (program.opcode(index) != Opcode::kConstant) return {};
    const std::optional<int64_t> begin = hlo::SplatInt(program.module(), index);
    if (!begin.has_value() || *begin < 0 || *begin + part.dim(d) > whole.dim(d)) return {};
    place.push_back(*begin);
  }
  return place;
}

}  // namespace

InstructionId SliceBesideUpdate(DeviceProgram& program, InstructionId slice) {
  const InstructionId update = program.operand(slice, 0);
  if (program.opcode(update) != Opcode::kDynamicUpdateSlice) return kNoId;
  const IntList place = PlaceOf(program, update);
  const std::vector<SliceDimension> ranges = hlo::GetSlice(program.module(), slice);
  if (place.empty()) return kNoId;
  const InstructionId u = program.operand(update, 1);
  bool is_beside = false, is_in = true;
  for (size_t d = 0; d < ranges.size(); ++d) {
    if (ranges[d].stride != 1) return kNoId;
    const int64_t end = place[d] + program.shape(u).dim(static_cast<int64_t>(d));
    is_beside |= ranges[d].limit <= place[d] || ranges[d].start >= end;
    is_in &= ranges[d].start >= place[d] && ranges[d].limit <= end;
  }
  if (is_beside) {
    const IntList begin(ranges.size(), 0);
    return ShiftedSlice(program, slice, program.operand(update, 0), begin);
  }
  if (!is_in) return kNoId;
  const bool is_all = program.shape(u).dims() == program.shape(slice).dims();
  return is_all ? u : ShiftedSlice(program, slice, u, place);
}

}  // namespace tessera::target
