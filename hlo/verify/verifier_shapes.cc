// Opcodes whose result is written, not inferred.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/schema/opcode_table.h"
#include "tessera/hlo/verify/inference_context.h"
#include "tessera/hlo/verify/verifier_rules.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {

using A = AttributeName;
using layout::ElementType;
using layout::Shape;

namespace {

// The compiler of a TPU lets a broadcast in a fusion round: its verifier ran before.
bool MayRound(const Module& module, const Shape& from, const Shape& to) {
  return module.header().is_scheduled && layout::IsFloat(from.element_type()) &&
         layout::IsFloat(to.element_type());
}

absl::Status CheckBroadcast(const Module& module, InstructionId id) {
  const Shape &from = OperandShape(module, id, 0), &to = module.shape(id);
  const IntList dims = GetInts(module, id, A::kDimensions).value_or(IntList());
  if (static_cast<int64_t>(dims.size()) != from.rank()) {
    return Mismatch("dimensions has ", dims.size(), " entries, the operand rank ", from.rank());
  }
  if (from.element_type() != to.element_type() && !MayRound(module, from, to)) {
    return Mismatch("the element type changes");
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= to.rank())
      return Mismatch("dimension ", dims[i], " is not there");
    if (to.dim(dims[i]) != from.dim(i)) {
      return Mismatch("dimension ", i, " of ", ShapeText(from), " does not fit dimension ", dims[i],
                      " of ", ShapeText(to));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckSameDims(const Module& module, InstructionId id) {
  const Shape &from = OperandShape(module, id, 0), &to = module.shape(id);
  if (layout::CompatibleIgnoringElementType(from, to)) return absl::OkStatus();
  return Mismatch("the dimensions of ", ShapeText(from), " become those of ", ShapeText(to));
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
    return Mismatch("iota_dimension=", d, " is not a dimension of ", ShapeText(shape));
  }
  if (shape.element_type() == ElementType::kPred) return Mismatch("iota does not give pred");
  return absl::OkStatus();
}

absl::Status CheckCopyStart(const Module& module, InstructionId id) {
  const Shape& shape = module.shape(id);
  const bool good = shape.is_tuple() && shape.tuple_elements().size() >= 2 &&
                    layout::Compatible(shape.tuple_elements()[0], OperandShape(module, id, 0)) &&
                    layout::Compatible(shape.tuple_elements()[1], OperandShape(module, id, 0));
  return good ? absl::OkStatus() : Mismatch("the shape is (operand, operand, u32[])");
}

absl::Status CheckCopyDone(const Module& module, InstructionId id) {
  const Shape& from = OperandShape(module, id, 0);
  const bool good = from.is_tuple() && !from.tuple_elements().empty() &&
                    layout::Compatible(from.tuple_elements()[0], module.shape(id));
  return good ? absl::OkStatus() : Mismatch("the shape is element 0 of the operand");
}

absl::Status CheckBitcastConvert(const Module& module, InstructionId id) {
  const Shape &from = OperandShape(module, id, 0), &to = module.shape(id);
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

using InstructionCheck = absl::Status (*)(const Module&, InstructionId);
constexpr OpcodeTable<InstructionCheck> kInstructionChecks({
    {Opcode::kBatchNormGrad, CheckBatchNorm},
    {Opcode::kBatchNormInference, CheckBatchNorm},
    {Opcode::kBatchNormTraining, CheckBatchNorm},
    {Opcode::kBitcastConvert, CheckBitcastConvert},
    {Opcode::kBroadcast, CheckBroadcast},
    {Opcode::kCollectivePermute, CheckCollectivePermute},
    {Opcode::kConvert, CheckSameDims},
    {Opcode::kCopyDone, CheckCopyDone},
    {Opcode::kCopyStart, CheckCopyStart},
    {Opcode::kDynamicSlice, CheckDynamicSlice},
    {Opcode::kDynamicUpdateSlice, CheckDynamicUpdateSlice},
    {Opcode::kGather, CheckGather},
    {Opcode::kIota, CheckIota},
    {Opcode::kMap, CheckSameOperands},
    {Opcode::kOptBarrier, CheckSameDims},
    {Opcode::kPad, CheckPad},
    {Opcode::kReduce, CheckReduce},
    {Opcode::kReducePrecision, CheckReducePrecision},
    {Opcode::kReduceWindow, CheckReduce},
    {Opcode::kScatter, CheckScatter},
    {Opcode::kSelectAndScatter, CheckSelectAndScatter},
    {Opcode::kSlice, CheckSlice},
    {Opcode::kSort, CheckSameOperands},
});

}  // namespace

bool HasInstructionRules(Opcode opcode) { return kInstructionChecks[opcode] != nullptr; }

absl::Status CheckInstructionRules(const Module& module, InstructionId id) {
  const InstructionCheck check = kInstructionChecks[module.instruction(id).opcode];
  return check == nullptr ? absl::OkStatus() : check(module, id);
}

}  // namespace tessera::hlo
