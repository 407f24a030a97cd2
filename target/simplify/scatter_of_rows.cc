// scatter-add(x: f32[8,64], i: s32[8,1,1], u: f32[8,1]), one number into each row
//   ->  select(i == iota, x + u, x) of [8,64]; on TPUs
//
// As the gradient of jnp.take_along_axis(.., axis=-1) is written. Where x is zeros: select(.., u, x).

#include <numeric>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

IntList UpTo(int64_t count) {
  IntList numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// Of [rows.., n]: an index and a number for each row.
bool IsOfRows(const DeviceProgram& program, InstructionId scatter) {
  if (program.operands(scatter).size() != 3 || !program.shape(scatter).is_array()) return false;
  const int64_t last = program.shape(scatter).rank() - 1;
  if (last < 0 || OnlyStep(program, scatter) != Opcode::kAdd) return false;
  const auto has = [&](AttributeName name, const IntList& wanted) {
    return hlo::GetInts(program.module(), scatter, name).value_or(IntList()) == wanted;
  };
  const layout::Shape &indices = program.shape(program.operand(scatter, 1)),
                      &updates = program.shape(program.operand(scatter, 2));
  const IntList rows = UpTo(last);
  return has(AttributeName::kInputBatchingDims, rows) &&
         has(AttributeName::kScatterIndicesBatchingDims, rows) &&
         has(AttributeName::kInsertedWindowDims, {last}) &&
         has(AttributeName::kScatterDimsToOperandDims, {last}) &&
         has(AttributeName::kUpdateWindowDims, {}) && indices.rank() == last + 2 &&
         indices.dim(last) == 1 && indices.dim(last + 1) == 1 && updates.rank() == last + 1 &&
         hlo::GetInt(program.module(), scatter, AttributeName::kIndexVectorDim) == last + 1;
}

// A number for each row, all along it.
InstructionId AlongRows(DeviceProgram& program, InstructionId x, const layout::Shape& shape) {
  const layout::Shape one_each = Retyped(shape, program.shape(x).element_type());
  const int64_t last = shape.rank() - 1;
  const IntList rows(shape.dims().begin(), shape.dims().begin() + last);
  return AddBroadcast(program, ReshapeTo(program, x, Resized(one_each, rows)), one_each,
                      UpTo(last));
}

}  // namespace

InstructionId ChooseInPlaceOfScatter(DeviceProgram& program, InstructionId scatter) {
  if (!IsOfRows(program, scatter)) return kNoId;
  const InstructionId x = program.operand(scatter, 0);
  const layout::Shape shape = Resized(program.shape(scatter), program.shape(scatter).dims());
  const ComputationId c = program.computation(scatter);
  const InstructionId index = AlongRows(program, program.operand(scatter, 1), shape);
  const InstructionId iota = program.Add(c, Opcode::kIota, "iota", program.shape(index), {});
  program.SetAttribute(iota, AttributeName::kIotaDimension, absl::StrCat(shape.rank() - 1));
  const InstructionId is_it = program.Add(
      c, Opcode::kCompare, "compare", Retyped(shape, layout::ElementType::kPred), {index, iota});
  program.SetAttribute(is_it, AttributeName::kDirection, "EQ");
  const InstructionId number = AlongRows(program, program.operand(scatter, 2), shape);
  const InstructionId sum =
      IsZero(program, x) ? number : program.Add(c, Opcode::kAdd, "add", shape, {x, number});
  return program.Add(c, Opcode::kSelect, "select", shape, {is_it, sum, x});
}

}  // namespace tessera::target
