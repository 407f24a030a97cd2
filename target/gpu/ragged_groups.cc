#include "tessera/target/gpu/ragged_groups.h"

#include <cstdint>

#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/shape.h"
#include "tessera/target/gpu/layouts/order.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/prefix_windows.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;
using hlo::IntList;
using layout::ElementType;

// Where each group ends; the groups are the last dimension.
InstructionId EndsOfGroups(DeviceProgram& program, InstructionId sizes) {
  const layout::Shape shape = program.shape(sizes);
  const ComputationId c = program.computation(sizes);
  const int64_t groups = shape.dims().back();
  const InstructionId zero = program.AddConstant(c, Resized(shape, {}), "0");
  const InstructionId ends =
      program.Add(c, Opcode::kReduceWindow, "reduce-window", shape, {sizes, zero});
  program.SetAttribute(ends, AttributeName::kWindow,
                       WindowText(shape.rank(), shape.rank() - 1, {groups, groups - 1, 0}));
  program.SetCalled(ends, {AddSum(program, shape.element_type())});
  return ends;
}

InstructionId StartsOfGroups(DeviceProgram& program, InstructionId ends) {
  const layout::Shape shape = program.shape(ends);
  IntList sizes(shape.dims().begin(), shape.dims().end());
  const InstructionId most = SliceAlong(program, ends, shape.rank() - 1, 0, sizes.back() - 1);
  sizes.back() = 1;
  const InstructionId zero =
      program.AddConstant(program.computation(ends), Resized(shape, {}), "0");
  const InstructionId first = InEachElement(program, zero, Resized(shape, sizes));
  return AddConcatenate(program, {first, most}, shape, shape.rank() - 1);
}

InstructionId Compare(DeviceProgram& program, InstructionId a, InstructionId b,
                      absl::string_view direction) {
  const InstructionId made = program.Add(program.computation(a), Opcode::kCompare, "compare",
                                         Retyped(program.shape(a), ElementType::kPred), {a, b});
  program.SetAttribute(made, AttributeName::kDirection, direction);
  return made;
}

// Whether a row is in a group; `shape` is that of the grouped array, in the type of the sizes.
InstructionId IsInGroup(DeviceProgram& program, const layout::Shape& shape, const Grouping& by) {
  const IntList places = DefaultOrder(program.shape(by.sizes).dims().size());
  const InstructionId ends = EndsOfGroups(program, by.sizes);
  const InstructionId start = AddBroadcast(program, StartsOfGroups(program, ends), shape, places);
  const InstructionId rows = program.Add(program.computation(ends), Opcode::kIota, "iota",
                                         Resized(shape, {shape.dim(by.ragged + 1)}), {});
  program.SetAttribute(rows, AttributeName::kIotaDimension, "0");
  const InstructionId row = AddBroadcast(program, rows, shape, {by.ragged + 1});
  const InstructionId is_after = Compare(program, start, row, "LE");
  const InstructionId is_before =
      Compare(program, row, AddBroadcast(program, ends, shape, places), "LT");
  return program.Add(program.computation(ends), Opcode::kAnd, "and",
                     Retyped(shape, ElementType::kPred), {is_after, is_before});
}

}  // namespace

InstructionId RowsOfEachGroup(DeviceProgram& program, InstructionId x, const Grouping& by) {
  const layout::Shape shape = program.shape(x);
  IntList sizes(shape.dims().begin(), shape.dims().end()), places;
  for (int64_t d = 0; d < shape.rank(); ++d) places.push_back(d < by.group ? d : d + 1);
  sizes.insert(sizes.begin() + by.group, program.shape(by.sizes).dims().back());
  const layout::Shape grouped = Resized(shape, sizes);
  const ComputationId c = program.computation(x);
  const InstructionId is_in = IsInGroup(program, Resized(program.shape(by.sizes), sizes), by);
  const InstructionId repeated = AddBroadcast(program, x, grouped, places);
  const InstructionId zero = program.AddConstant(c, Resized(shape, {}), "0");
  return program.Add(c, Opcode::kSelect, "select", grouped,
                     {is_in, repeated, InEachElement(program, zero, grouped)});
}

}  // namespace tessera::target
