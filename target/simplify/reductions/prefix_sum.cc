// reduce-window(x[16,512]), window={size=1x512 pad=0_0x511_0}, the sum of all elements up to each one
//   ->  y = reduce-window(reshape(x) of [16,4,128]) with windows of 128, and to each row of 128 what
//       the rows in front of it add up to: reduce-window(y[:,:,127]) with windows of 4
//
// On TPUs, for more than 128 elements. Sums of any kind; the dimension is brought to the last place.

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

constexpr int64_t kRow = 128;

// The dimension along which everything up to an element is combined; nothing for other windows.
std::optional<int64_t> PrefixDimension(const DeviceProgram& program, InstructionId id) {
  const hlo::Window window = hlo::GetWindow(program.module(), id);
  const layout::Shape& shape = program.shape(id);
  std::optional<int64_t> found;
  for (size_t d = 0; d < window.size(); ++d) {
    const hlo::WindowDimension& w = window[d];
    if (w.stride != 1 || w.base_dilation != 1 || w.window_dilation != 1) return std::nullopt;
    if (w.size == 1 && w.padding_low == 0 && w.padding_high == 0) continue;
    const bool is_prefix = w.size == shape.dim(static_cast<int64_t>(d)) &&
                           w.padding_low == w.size - 1 && w.padding_high == 0;
    if (!is_prefix || found.has_value()) return std::nullopt;
    found = static_cast<int64_t>(d);
  }
  return found;
}

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

// Windows of `size` along the last dimension, `low` in front of it.
InstructionId WindowsOfLast(DeviceProgram& program, InstructionId like, InstructionId x,
                            int64_t size, int64_t low, const layout::Shape& shape) {
  const InstructionId window =
      program.Clone(like, {x, program.operand(like, 1)}, Resized(shape, shape.dims()));
  std::vector<std::string> sizes(static_cast<size_t>(shape.rank()), "1");
  std::vector<std::string> pads(static_cast<size_t>(shape.rank()), "0_0");
  sizes.back() = absl::StrCat(size);
  pads.back() = absl::StrCat(low, "_0");
  program.SetAttribute(
      window, AttributeName::kWindow,
      absl::StrCat("{size=", absl::StrJoin(sizes, "x"), " pad=", absl::StrJoin(pads, "x"), "}"));
  return window;
}

// What the rows in front of each row add up to; `rows` of [..,rows,128].
InstructionId InFrontOfRows(DeviceProgram& program, InstructionId like, InstructionId rows) {
  const layout::Shape shape = program.shape(rows);
  const int64_t count = shape.dim(shape.rank() - 2);
  IntList sizes(shape.dims().begin(), shape.dims().end());
  sizes.back() = 1;
  const InstructionId column = program.Add(program.computation(rows), Opcode::kSlice, "slice",
                                           Resized(shape, sizes), {rows});
  std::vector<std::string> ranges;
  for (int64_t d = 0; d + 1 < shape.rank(); ++d)
    ranges.push_back(absl::StrCat("[0:", shape.dim(d), "]"));
  ranges.push_back(absl::StrCat("[", kRow - 1, ":", kRow, "]"));
  program.SetAttribute(column, AttributeName::kSlice,
                       absl::StrCat("{", absl::StrJoin(ranges, ", "), "}"));
  sizes.pop_back();
  const InstructionId sums = ReshapeTo(program, column, Resized(shape, sizes));
  IntList longer = sizes;
  ++longer.back();
  return AddSlice(program, WindowsOfLast(program, like, sums, count, count, Resized(shape, longer)),
                  sizes);
}

}  // namespace

InstructionId SumInTwoLevels(DeviceProgram& program, InstructionId window) {
  if (program.operands(window).size() != 2 || !program.shape(window).is_array()) return kNoId;
  const std::optional<int64_t> along = PrefixDimension(program, window);
  const std::optional<Opcode> step = OnlyStep(program, window);
  if (!along.has_value() || !step.has_value()) return kNoId;
  const layout::Shape shape = program.shape(window);
  const int64_t length = shape.dim(*along);
  if (length <= kRow || length % kRow != 0) return kNoId;
  const IntList order = LastIs(*along, shape.rank());
  const InstructionId x = TransposeTo(program, program.operand(window, 0), order);
  const layout::Shape flat = program.shape(x);
  IntList sizes(flat.dims().begin(), flat.dims().end());
  sizes.back() = length / kRow;
  sizes.push_back(kRow);
  const layout::Shape in_rows = Resized(flat, sizes);
  const InstructionId rows =
      WindowsOfLast(program, window, ReshapeTo(program, x, in_rows), kRow, kRow - 1, in_rows);
  const InstructionId before = InFrontOfRows(program, window, rows);
  IntList places;
  for (int64_t d = 0; d < flat.rank(); ++d) places.push_back(d);
  const InstructionId spread = AddBroadcast(program, before, in_rows, places);
  const InstructionId sum =
      program.Add(program.computation(window), *step, "prefix-sum", in_rows, {rows, spread});
  return TransposeTo(program, ReshapeTo(program, sum, Resized(flat, flat.dims())), Inverse(order));
}

}  // namespace tessera::target
