// reduce-window(x[16,512]), window={size=1x512 pad=0_0x511_0}, the sum of all elements up to each one
//   ->  y = reduce-window(reshape(x) of [16,4,128]) with windows of 128, and to each row of 128 what
//       the rows in front of it add up to: reduce-window(y[:,:,127]) with windows of 4
//
// On TPUs, for more than 128 elements. Sums of any kind; the dimension is brought to the last place. Elements that do
// not fill rows are padded. More than 128 rows are added up in rows themselves.

#include <numeric>
#include <optional>
#include <string>
#include <vector>

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

class PrefixSum {
 public:
  PrefixSum(DeviceProgram& program, InstructionId window, Opcode step)
      : program_(program), window_(window), step_(step) {}

  // For each element of the last dimension, of which there are more than kRow, what it and those in front of it
  // add up to.
  InstructionId UpToEach(InstructionId x) {
    const layout::Shape shape = program_.shape(x);
    const int64_t rows = (shape.dims().back() + kRow - 1) / kRow;
    const IntList whole = WithLast(shape, {rows * kRow});
    const layout::Shape in_rows = Resized(shape, WithLast(shape, {rows, kRow}));
    if (whole.back() != shape.dims().back()) x = AddPadBehind(program_, x, Start(), whole);
    const InstructionId sums =
        WindowsOfLast(ReshapeTo(program_, x, in_rows), kRow, kRow - 1, in_rows);
    const InstructionId before = InFrontOfEach(LastOfRows(sums));
    IntList places(static_cast<size_t>(shape.rank()));
    std::iota(places.begin(), places.end(), 0);
    const InstructionId spread = AddBroadcast(program_, before, in_rows, places);
    const InstructionId sum =
        program_.Add(program_.computation(window_), step_, "prefix-sum", in_rows, {sums, spread});
    const InstructionId flat = ReshapeTo(program_, sum, Resized(shape, whole));
    return whole.back() == shape.dims().back()
               ? flat
               : AddSlice(program_, flat, WithLast(shape, {shape.dims().back()}));
  }

 private:
  InstructionId Start() const { return program_.operand(window_, 1); }

  static IntList WithLast(const layout::Shape& shape, const IntList& last) {
    IntList sizes(shape.dims().begin(), shape.dims().end() - 1);
    sizes.insert(sizes.end(), last.begin(), last.end());
    return sizes;
  }

  // What those in front of each element add up to.
  InstructionId InFrontOfEach(InstructionId x) {
    const layout::Shape shape = program_.shape(x);
    const int64_t count = shape.dims().back();
    const layout::Shape longer = Resized(shape, WithLast(shape, {count + 1}));
    const InstructionId sums =
        count <= kRow ? WindowsOfLast(x, count, count, longer) : StartInFront(UpToEach(x), longer);
    return AddSlice(program_, sums, WithLast(shape, {count}));
  }

  InstructionId StartInFront(InstructionId x, const layout::Shape& longer) {
    const InstructionId pad =
        program_.Add(program_.computation(window_), Opcode::kPad, "pad", longer, {x, Start()});
    std::vector<std::string> pads(static_cast<size_t>(longer.rank()), "0_0");
    pads.back() = "1_0";
    program_.SetAttribute(pad, AttributeName::kPadding, absl::StrJoin(pads, "x"));
    return pad;
  }

  // Windows of `size` along the last dimension, `low` in front of it.
  InstructionId WindowsOfLast(InstructionId x, int64_t size, int64_t low,
                              const layout::Shape& shape) {
    const InstructionId window =
        program_.Clone(window_, {x, Start()}, Resized(shape, shape.dims()));
    std::vector<std::string> sizes(static_cast<size_t>(shape.rank()), "1");
    std::vector<std::string> pads(static_cast<size_t>(shape.rank()), "0_0");
    sizes.back() = absl::StrCat(size);
    pads.back() = absl::StrCat(low, "_0");
    program_.SetAttribute(
        window, AttributeName::kWindow,
        absl::StrCat("{size=", absl::StrJoin(sizes, "x"), " pad=", absl::StrJoin(pads, "x"), "}"));
    return window;
  }

  // The last element of each row; `rows` of [..,rows,128].
  InstructionId LastOfRows(InstructionId rows) {
    const layout::Shape shape = program_.shape(rows);
    const InstructionId column = SliceAlong(program_, rows, shape.rank() - 1, kRow - 1, kRow);
    const IntList sizes(shape.dims().begin(), shape.dims().end() - 1);
    return ReshapeTo(program_, column, Resized(shape, sizes));
  }

  DeviceProgram& program_;
  const InstructionId window_;
  const Opcode step_;
};

}  // namespace

InstructionId SumInRows(DeviceProgram& program, InstructionId window) {
  if (program.operands(window).size() != 2 || !program.shape(window).is_array()) return kNoId;
  const std::optional<int64_t> along = PrefixDimension(program, window);
  const std::optional<Opcode> step = OnlyStep(program, window);
  if (!along.has_value() || !step.has_value()) return kNoId;
  if (program.shape(window).dim(*along) <= kRow) return kNoId;
  const IntList order = LastIs(*along, program.shape(window).rank());
  const InstructionId x = TransposeTo(program, program.operand(window, 0), order);
  return TransposeTo(program, PrefixSum(program, window, *step).UpToEach(x), Inverse(order));
}

}  // namespace tessera::target
