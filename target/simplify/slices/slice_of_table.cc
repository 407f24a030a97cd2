// dynamic-slice(table, partition-id), sizes {1}, of table {0, 96, 192, ..}  ->  multiply(convert(partition-id), 96)
//
// An index that may be outside of the table is clamped first, and a table of zeros is zero. Where a device's part begins
// is such an element of a table.

#include <cstdint>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"
#include "tessera/text/checked.h"

namespace tessera::target {
namespace {

// How much each number of a list from 0 is more than the one before it; nothing where that differs.
std::optional<int64_t> StrideOfList(absl::string_view text, int64_t size) {
  if (!absl::ConsumePrefix(&text, "{") || !absl::ConsumeSuffix(&text, "}")) return std::nullopt;
  int64_t stride = 0, count = 0;
  for (const absl::string_view piece : absl::StrSplit(text, ',')) {
    int64_t number = 0, expected = 0;
    if (!absl::SimpleAtoi(piece, &number)) return std::nullopt;
    if (count == 1) stride = number;
    if (!MultiplyFits(count++, stride, &expected) || number != expected) return std::nullopt;
  }
  return count == size ? std::optional(stride) : std::nullopt;
}

std::optional<int64_t> StrideOf(const DeviceProgram& program, InstructionId table) {
  const layout::Shape& shape = program.shape(table);
  if (program.opcode(table) != Opcode::kConstant || shape.rank() != 1 || shape.dim(0) < 2 ||
      !layout::IsInteger(shape.element_type())) {
    return std::nullopt;
  }
  return StrideOfList(program.module().LiteralText(table), shape.dim(0));
}

InstructionId Clamped(DeviceProgram& program, InstructionId index, int64_t most) {
  const bool is_device = program.opcode(index) == Opcode::kPartitionId;
  if (is_device && most >= program.module().header().num_partitions - 1) return index;
  const layout::Shape shape = program.shape(index);
  const ComputationId c = program.computation(index);
  const InstructionId low = program.AddConstant(c, shape, "0");
  const InstructionId high = program.AddConstant(c, shape, absl::StrCat(most));
  return program.Add(c, Opcode::kClamp, "clamp", shape, {low, index, high});
}

}  // namespace

InstructionId MultiplyInPlaceOfTable(DeviceProgram& program, InstructionId slice) {
  const InstructionId table = program.operand(slice, 0);
  if (program.shape(slice).rank() != 1 || program.shape(slice).dim(0) != 1) return kNoId;
  const std::optional<int64_t> stride = StrideOf(program, table);
  if (!stride.has_value()) return kNoId;
  const layout::Shape shape = program.shape(slice);
  const ComputationId c = program.computation(slice);
  if (*stride == 0) return program.AddConstant(c, shape, "{0}");
  InstructionId number =
      Clamped(program, program.operand(slice, 1), program.shape(table).dim(0) - 1);
  if (program.shape(number).element_type() != shape.element_type()) {
    number = AddConvert(program, number, shape.element_type());
  }
  if (*stride != 1) {
    const layout::Shape scalar = Resized(shape, {});
    const InstructionId factor = program.AddConstant(c, scalar, absl::StrCat(*stride));
    number = program.Add(c, Opcode::kMultiply, "multiply", scalar, {number, factor});
  }
  return AddReshape(program, number, shape);
}

}  // namespace tessera::target
