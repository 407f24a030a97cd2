// reduce-window(x[16,512]), window={size=1x512 pad=0_0x511_0}, the sum of all elements up to each one
//   ->  y = reduce-window(reshape(x) of [16,4,128]) with windows of 128, and to each row of 128 what
//       the rows in front of it add up to: reduce-window(y[:,:,127]) with windows of 4
//
// On TPUs, for more than 128 elements. Sums of any kind; the dimension is brought to the last place.

#include <optional>

#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/prefix_windows.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

constexpr int64_t kRow = 128;

IntList LastIs(int64_t dimension, int64_t rank) {
  IntList order;
  for (int64_t d = 0; d < rank; ++d) {
    if (d != dimension) order.push_back(d);
  }
  order.push_back(dimension);
  return order;
}

IntList Inverse(const IntList& order) {
  IntList inverse(order.size());
  for (size_t k = 0; k < order.size(); ++k)
    inverse[static_cast<size_t>(order[k])] = static_cast<int64_t>(k);
  return inverse;
}

// What the rows in front of each row add up to; `rows` of [..,rows,128].
InstructionId InFrontOfRows(DeviceProgram& program, InstructionId like, InstructionId rows) {
  const layout::Shape shape = program.shape(rows);
  const int64_t count = shape.dim(shape.rank() - 2);
  IntList sizes(shape.dims().begin(), shape.dims().end());
  const InstructionId column = SliceAlong(program, rows, shape.rank() - 1, kRow - 1, kRow);
  sizes.pop_back();
  const InstructionId sums = ReshapeTo(program, column, Resized(shape, sizes));
  return AddSlice(program, WindowsOfLast(program, like, sums, {count, count, 0}), sizes);
}

}  // namespace

InstructionId SumInTwoLevels(DeviceProgram& program, InstructionId window) {
  const std::optional<Prefix> prefix = PrefixOf(program, window);
  const std::optional<Opcode> step = OnlyStep(program, window);
  if (!prefix.has_value() || prefix->is_from_end || !step.has_value()) return kNoId;
  const layout::Shape shape = program.shape(window);
  const int64_t length = shape.dim(prefix->dimension);
  if (length <= kRow || length % kRow != 0) return kNoId;
  const IntList order = LastIs(prefix->dimension, shape.rank());
  const InstructionId x = TransposeTo(program, program.operand(window, 0), order);
  const layout::Shape flat = program.shape(x);
  IntList sizes(flat.dims().begin(), flat.dims().end());
  sizes.back() = length / kRow;
  sizes.push_back(kRow);
  const layout::Shape in_rows = Resized(flat, sizes);
  const InstructionId rows =
      WindowsOfLast(program, window, ReshapeTo(program, x, in_rows), {kRow, kRow - 1, 0});
  const InstructionId before = InFrontOfRows(program, window, rows);
  IntList places;
  for (int64_t d = 0; d < flat.rank(); ++d) places.push_back(d);
  const InstructionId spread = AddBroadcast(program, before, in_rows, places);
  const InstructionId sum =
      program.Add(program.computation(window), *step, "prefix-sum", in_rows, {rows, spread});
  return TransposeTo(program, ReshapeTo(program, sum, Resized(flat, flat.dims())), Inverse(order));
}

}  // namespace tessera::target
