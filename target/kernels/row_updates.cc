#include "tessera/target/kernels/row_updates.h"

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/kernels/roles.h"

namespace tessera::target {

using hlo::InstructionId;
using hlo::Opcode;
using layout::Shape;

namespace {

constexpr int kLongWay = 16;  // views that are looked through

// What views, converts and slices are made of.
InstructionId SkipSlices(const hlo::Module& module, InstructionId id) {
  for (int steps = 0; steps < kLongWay; ++steps) {
    const Opcode op = module.instruction(id).opcode;
    const bool is_slice = op == Opcode::kDynamicSlice || op == Opcode::kSlice;
    if (!IsView(op) && op != Opcode::kConvert && !is_slice) break;
    id = module.operands(id)[0];
  }
  return id;
}

bool IsReadInPart(const hlo::Module& module, InstructionId slice) {
  const hlo::ComputationId body = module.instruction(slice).computation;
  return absl::c_any_of(module.computation(body).instructions, [&](InstructionId id) {
    if (module.instruction(id).opcode != Opcode::kSlice) return false;
    InstructionId from = module.operands(id)[0];
    while (IsView(module.instruction(from).opcode)) from = module.operands(from)[0];
    return from == slice;
  });
}

}  // namespace

std::vector<int64_t> LargeDims(const Shape& array) {
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < array.rank(); ++d) {
    if (array.dim(d) > 1) dims.push_back(d);
  }
  return dims;
}

int64_t RowsBeside(const hlo::Module& module, hlo::InstructionId update) {
  if (module.instruction(update).opcode != hlo::Opcode::kDynamicUpdateSlice) return 0;
  const Shape& array = module.shape(update);
  const Shape& part = module.shape(module.operands(update)[1]);
  const std::vector<int64_t> large = LargeDims(array);
  if (large.size() < 3) return 0;
  const int64_t lanes = large.back(), rows = large[large.size() - 2];
  if (part.dim(rows) != 1 || part.dim(lanes) != array.dim(lanes)) return 0;
  int64_t beside = 0;
  for (const int64_t d : large) {
    const bool is_whole = part.dim(d) == array.dim(d);
    if (d == rows || d == lanes) continue;
    if (!is_whole && part.dim(d) != 1) return 0;
    if (is_whole) beside = array.dim(d);
  }
  return beside;
}

int64_t HeadsOf(const hlo::Module& module, hlo::InstructionId update) {
  if (module.instruction(update).opcode != hlo::Opcode::kDynamicUpdateSlice) return 0;
  const Shape& array = module.shape(update);
  const Shape& part = module.shape(module.operands(update)[1]);
  const std::vector<int64_t> large = LargeDims(array);
  if (large.size() < 3 || part.rank() != array.rank()) return 0;
  const int64_t lanes = large.back(), heads = large[large.size() - 2];
  const bool is_whole = part.dim(lanes) == array.dim(lanes) && part.dim(heads) == array.dim(heads);
  return is_whole && part.dim(large[large.size() - 3]) == 1 ? array.dim(heads) : 0;
}

int64_t RowsLaidAnew(const hlo::Module& module, InstructionId update) {
  const int64_t rows = RowsBeside(module, update);
  return rows > 0 && IsMultipliedBy(module, update, rows, 2) ? 0 : rows;
}

bool IsMultipliedBy(const hlo::Module& module, InstructionId array, int64_t size, int batches) {
  const hlo::ComputationId body = module.instruction(array).computation;
  return absl::c_any_of(module.computation(body).instructions, [&](InstructionId id) {
    if (module.instruction(id).opcode != Opcode::kDot) return false;
    const Shape& left = module.shape(module.operands(id)[0]);
    const auto batch = hlo::GetDotDimensions(module, id).lhs_batch;
    const auto large = absl::c_count_if(batch, [&](int64_t d) { return left.dim(d) > 1; });
    return large >= batches &&
           absl::c_any_of(batch, [&](int64_t d) { return left.dim(d) == size; }) &&
           absl::c_any_of(module.operands(id), [&](InstructionId operand) {
             return SkipSlices(module, operand) == array;
           });
  });
}

InstructionId ScatterBehind(const hlo::Module& module, InstructionId id) {
  id = SkipSlices(module, id);
  return module.instruction(id).opcode == Opcode::kScatter ? id : hlo::kNoId;
}

bool IsWrittenSlice(const hlo::Module& module, InstructionId slice) {
  if (module.instruction(slice).opcode != Opcode::kDynamicSlice) return false;
  const InstructionId scatter = ScatterBehind(module, slice);
  if (scatter == hlo::kNoId) return false;
  const std::vector<int64_t> large = LargeDims(module.shape(scatter));
  if (large.size() < 3) return false;
  const int64_t heads = module.shape(scatter).dim(large[large.size() - 2]);
  return IsReadInPart(module, slice) || IsMultipliedBy(module, scatter, heads);
}

}  // namespace tessera::target
