#include "tessera/target/simplify/prefix_rows.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/prefix_windows.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

IntList SizesOf(const DeviceProgram& program, InstructionId id) {
  const auto& dims = program.shape(id).dims();
  return IntList(dims.begin(), dims.end());
}

IntList Exchanged(int64_t rank, int64_t dimension) {
  IntList order;
  for (int64_t d = 0; d < rank; ++d) order.push_back(d);
  std::swap(order[static_cast<size_t>(dimension)], order.back());
  return order;
}

// The prefixes of one reduce-window, of arrays along whose last dimension they run.
class RowsOfPrefix {
 public:
  RowsOfPrefix(DeviceProgram* program, InstructionId window, const PrefixRows& rows, Opcode step,
               bool is_from_end)
      : program_(*program), window_(window), rows_(rows), step_(step), is_from_end_(is_from_end) {
    const ComputationId body = program_.module().called(window)[0];
    const InstructionId root = program_.module().computation(body).root;
    const InstructionId first = program_.operand(root, 0);
    takes_second_first_ = program_.module().instruction(first).parameter_number == 1;
  }

  // Of more than a row.
  InstructionId UpToEach(InstructionId x) {
    IntList sizes = SizesOf(program_, x);
    const IntList before = sizes;
    const int64_t rows = (sizes.back() + rows_.length - 1) / rows_.length;
    sizes.back() = rows * rows_.length;
    const IntList whole = sizes;
    if (whole != before) x = AddPadAfter(program_, x, program_.operand(window_, 1), whole);
    sizes.back() = rows;
    sizes.push_back(rows_.length);
    x = AddReshape(program_, x, Resized(program_.shape(x), sizes));
    x = ReshapeTo(program_, WithFront(Within(x)), Resized(program_.shape(x), whole));
    return whole == before ? x : AddSlice(program_, x, before);
  }

 private:
  WindowAlong Window(int64_t size, int64_t beside) const {
    return is_from_end_ ? WindowAlong{size, 0, beside} : WindowAlong{size, beside, 0};
  }

  InstructionId Within(InstructionId rows) {
    return WindowsOfLast(program_, window_, rows, Window(rows_.length, rows_.length - 1));
  }

  // What each row adds up to, and from it what stands in front of each row.
  InstructionId WithFront(InstructionId rows) {
    const layout::Shape shape = program_.shape(rows);
    IntList sizes = SizesOf(program_, rows);
    const int64_t last = is_from_end_ ? 0 : rows_.length - 1;
    const InstructionId column = SliceAlong(program_, rows, shape.rank() - 1, last, last + 1);
    sizes.pop_back();
    const InstructionId sums = AddReshape(program_, column, Resized(shape, sizes));
    const int64_t begin = is_from_end_ ? 1 : 0;
    const InstructionId front =
        SliceAlong(program_, InFrontOfEach(sums), shape.rank() - 2, begin, begin + sizes.back());
    IntList places;
    for (int64_t d = 0; d + 1 < shape.rank(); ++d) places.push_back(d);
    const InstructionId spread = AddBroadcast(program_, front, shape, places);
    if (takes_second_first_) return Step(shape, spread, rows);
    return Step(shape, rows, spread);
  }

  InstructionId Step(const layout::Shape& shape, InstructionId a, InstructionId b) {
    return program_.Add(program_.computation(a), step_, "prefix-sum", shape, {a, b});
  }

  // One element more than x has.
  InstructionId InFrontOfEach(InstructionId x) {
    const int64_t size = program_.shape(x).dims().back();
    if (size <= rows_.length) return Short(x, Window(size, size));
    IntList sizes = SizesOf(program_, x);
    ++sizes.back();
    const InstructionId padded =
        AddPadAfter(program_, UpToEach(x), program_.operand(window_, 1), sizes);
    if (is_from_end_) return padded;
    std::vector<std::string> padding(sizes.size(), "0_0");
    padding.back() = "1_0";
    program_.SetAttribute(padded, AttributeName::kPadding, absl::StrJoin(padding, "x"));
    return padded;
  }

  InstructionId Short(InstructionId x, const WindowAlong& last) {
    const InstructionId window = WindowsOfLast(program_, window_, x, last);
    if (program_.shape(x).rank() != 1 || !rows_.vectors_are_matrices) return window;
    const InstructionId matrix = VectorAsMatrix(program_, window);
    program_.RemoveDead(window);
    return matrix;
  }

 private:
  DeviceProgram& program_;
  const InstructionId window_;
  const PrefixRows rows_;
  const Opcode step_;
  const bool is_from_end_;
  bool takes_second_first_ = false;
};

}  // namespace

InstructionId VectorAsMatrix(DeviceProgram& program, InstructionId window) {
  const layout::Shape shape = program.shape(window);
  const InstructionId x = program.operand(window, 0);
  const IntList column = {program.shape(x).dim(0), 1};
  const hlo::WindowDimension w = hlo::GetWindow(program.module(), window)[0];
  const InstructionId in_matrix = program.Clone(
      window, {AddReshape(program, x, Resized(shape, column)), program.operand(window, 1)},
      Resized(shape, {shape.dim(0), 1}));
  program.SetAttribute(in_matrix, AttributeName::kWindow,
                       WindowText(2, 0, {w.size, w.padding_low, w.padding_high}));
  return AddReshape(program, in_matrix, shape);
}

InstructionId PrefixInRows(DeviceProgram& program, InstructionId window, const PrefixRows& rows) {
  const std::optional<Prefix> prefix = PrefixOf(program, window);
  const std::optional<Opcode> step = OnlyStep(program, window);
  if (!prefix.has_value() || !step.has_value()) return kNoId;
  const layout::Shape shape = program.shape(window);
  if (shape.dim(prefix->dimension) <= rows.length) return kNoId;
  const IntList order = Exchanged(shape.rank(), prefix->dimension);
  const InstructionId x = TransposeTo(program, program.operand(window, 0), order);
  RowsOfPrefix made(&program, window, rows, *step, prefix->is_from_end);
  return TransposeTo(program, made.UpToEach(x), order);
}

}  // namespace tessera::target
