// Opcodes whose result is written, not inferred.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/inference_context.h"
#include "tessera/hlo/verifier_rules.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {

using A = AttributeName;
using layout::ElementType;
using layout::Shape;

namespace {

const Shape& Operand(const Module& module, InstructionId id, size_t i) {
  return module.shape(module.operands(id)[i]);
}

std::string Text(const Shape& shape) { return layout::ShapeToString(shape, layout::kNoLayout); }

absl::Status CheckBroadcast(const Module& module, InstructionId id) {
  const Shape &from = Operand(module, id, 0), &to = module.shape(id);
  const IntList dims = GetInts(module, id, A::kDimensions).value_or(IntList());
  if (static_cast<int64_t>(dims.size()) != from.rank()) {
    return Mismatch("dimensions has ", dims.size(), " entries, the operand rank ", from.rank());
  }
  if (from.element_type() != to.element_type()) return Mismatch("the element type changes");
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= to.rank())
      return Mismatch("dimension ", dims[i], " is not there");
    if (to.dim(dims[i]) != from.dim(i)) {
      return Mismatch("dimension ", i, " of ", Text(from), " does not fit dimension ", dims[i],
                      " of ", Text(to));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckSlice(const Module& module, InstructionId id) {
  const Shape &from = Operand(module, id, 0), &to = module.shape(id);
  const auto slice = GetSlice(module, id);
  if (static_cast<int64_t>(slice.size()) != from.rank() || to.rank() != from.rank()) {
    return Mismatch("the slice has ", slice.size(), " ranges, the operand rank ", from.rank());
  }
  for (size_t i = 0; i < slice.size(); ++i) {
    const SliceDimension& s = slice[i];
    const bool inside = s.start >= 0 && s.start <= s.limit && s.stride > 0 &&
                        (from.is_unbounded(i) || s.limit <= from.dim(i));
    if (!inside) return Mismatch("range ", i, " leaves ", Text(from));
    const int64_t size = (s.limit - s.start) / s.stride + ((s.limit - s.start) % s.stride != 0);
    if (to.dim(i) != size) return Mismatch("dimension ", i, " of the result should be ", size);
  }
  return absl::OkStatus();
}

absl::Status CheckDynamicSlice(const Module& module, InstructionId id) {
  const IntList sizes = GetInts(module, id, A::kDynamicSliceSizes).value_or(IntList());
  const Shape &from = Operand(module, id, 0), &to = module.shape(id);
  if (static_cast<int64_t>(sizes.size()) != from.rank() || to.rank() != from.rank()) {
    return Mismatch("dynamic_slice_sizes has ", sizes.size(), " entries, the operand rank ",
                    from.rank());
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    const bool fits = sizes[i] >= 0 && (from.is_unbounded(i) || sizes[i] <= from.dim(i));
    if (!fits || to.dim(i) != sizes[i]) return Mismatch("size ", i, " does not fit");
  }
  return absl::OkStatus();
}

absl::Status CheckDynamicUpdateSlice(const Module& module, InstructionId id) {
  const Shape &from = Operand(module, id, 0), &update = Operand(module, id, 1);
  if (!layout::Compatible(from, module.shape(id))) return Mismatch("the result is the operand's");
  if (update.rank() != from.rank()) return Mismatch("the update has another rank");
  for (int64_t i = 0; i < from.rank(); ++i) {
    if (update.dim(i) > from.dim(i)) return Mismatch("the update is larger than the operand");
  }
  return absl::OkStatus();
}

absl::Status CheckSameDims(const Module& module, InstructionId id) {
  const Shape &from = Operand(module, id, 0), &to = module.shape(id);
  if (layout::CompatibleIgnoringElementType(from, to)) return absl::OkStatus();
  return Mismatch("the dimensions of ", Text(from), " become those of ", Text(to));
}

absl::Status CheckReducePrecision(const Module& module, InstructionId id) {
  const int64_t exponent = GetInt(module, id, A::kExponentBits).value_or(0);
  const int64_t mantissa = GetInt(module, id, A::kMantissaBits).value_or(0);
  if (exponent < 1 || mantissa < 0) return Mismatch("exponent_bits >= 1 and mantissa_bits >= 0");
  return CheckSameDims(module, id);
}

absl::Status CheckIota(const Module& module, InstructionId id) {
  const Shape& shape = module.shape(id);
  const int64_t d = GetInt(module, id, A::kIotaDimension).value_or(-1);
  if (!shape.is_array() || d < 0 || d >= shape.rank()) {
    return Mismatch("iota_dimension=", d, " is no dimension of ", Text(shape));
  }
  if (shape.element_type() == ElementType::kPred) return Mismatch("iota does not give pred");
  return absl::OkStatus();
}

absl::Status CheckCopyStart(const Module& module, InstructionId id) {
  const Shape& shape = module.shape(id);
  const bool good = shape.is_tuple() && shape.tuple_elements().size() >= 2 &&
                    layout::Compatible(shape.tuple_elements()[0], Operand(module, id, 0)) &&
                    layout::Compatible(shape.tuple_elements()[1], Operand(module, id, 0));
  return good ? absl::OkStatus() : Mismatch("the shape is (operand, operand, u32[])");
}

absl::Status CheckCopyDone(const Module& module, InstructionId id) {
  const Shape& from = Operand(module, id, 0);
  const bool good = from.is_tuple() && !from.tuple_elements().empty() &&
                    layout::Compatible(from.tuple_elements()[0], module.shape(id));
  return good ? absl::OkStatus() : Mismatch("the shape is element 0 of the operand");
}

absl::Status CheckBitcastConvert(const Module& module, InstructionId id) {
  const Shape &from = Operand(module, id, 0), &to = module.shape(id);
  const int64_t a = layout::BitWidth(from.element_type()), b = layout::BitWidth(to.element_type());
  if (a == b) return CheckSameDims(module, id);
  const Shape& longer = a > b ? to : from;
  const Shape& shorter = a > b ? from : to;
  const int64_t ratio = a > b ? a / std::max<int64_t>(b, 1) : b / std::max<int64_t>(a, 1);
  if (longer.rank() != shorter.rank() + 1 || longer.dim(longer.rank() - 1) != ratio) {
    return Mismatch("the last dimension holds the ", ratio, " parts of a wider element");
  }
  const bool same = std::equal(shorter.dims().begin(), shorter.dims().end(), longer.dims().begin());
  return same ? absl::OkStatus() : Mismatch("the other dimensions change");
}

struct Row {
  Opcode opcode;
  absl::Status (*check)(const Module&, InstructionId);
};

constexpr Row kRows[] = {
    {Opcode::kAllGather, CheckAllGather},
    {Opcode::kAllReduce, CheckAllReduce},
    {Opcode::kAllToAll, CheckAllToAll},
    {Opcode::kBitcastConvert, CheckBitcastConvert},
    {Opcode::kBroadcast, CheckBroadcast},
    {Opcode::kCollectivePermute, CheckCollectivePermute},
    {Opcode::kConvert, CheckSameDims},
    {Opcode::kCopyDone, CheckCopyDone},
    {Opcode::kCopyStart, CheckCopyStart},
    {Opcode::kDynamicSlice, CheckDynamicSlice},
    {Opcode::kDynamicUpdateSlice, CheckDynamicUpdateSlice},
    {Opcode::kIota, CheckIota},
    {Opcode::kOptBarrier, CheckSameDims},
    {Opcode::kReducePrecision, CheckReducePrecision},
    {Opcode::kReduceScatter, CheckReduceScatter},
    {Opcode::kSlice, CheckSlice},
};

}  // namespace

absl::Status CheckInstructionRules(const Module& module, InstructionId id) {
  for (const Row& row : kRows) {
    if (row.opcode == module.instruction(id).opcode) return row.check(module, id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::hlo
