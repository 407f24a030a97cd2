// Operands that belong together: inputs of one size, initial values that are scalars.

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/verify/inference_context.h"
#include "tessera/hlo/verify/verifier_rules.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"
#include "tessera/text/status_macros.h"

namespace tessera::hlo {

using layout::Shape;

namespace {

// Operands [begin, end) have the sizes of operand 0.
absl::Status ExpectSameSizes(const Module& module, InstructionId id, size_t begin, size_t end) {
  const Shape& first = OperandShape(module, id, 0);
  for (size_t i = begin; i < end; ++i) {
    if (layout::CompatibleIgnoringElementType(OperandShape(module, id, i), first)) continue;
    return Mismatch("operand ", i, " is ", ShapeText(OperandShape(module, id, i)),
                    " but should be of the sizes of ", ShapeText(first));
  }
  return absl::OkStatus();
}

absl::Status ExpectScalars(const Module& module, InstructionId id, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    if (OperandShape(module, id, i).rank() == 0) continue;
    return Mismatch("operand ", i, " is ", ShapeText(OperandShape(module, id, i)),
                    " but should be a scalar");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckSameOperands(const Module& module, InstructionId id) {
  return ExpectSameSizes(module, id, 1, module.operands(id).size());
}

absl::Status CheckPad(const Module& module, InstructionId id) {
  return ExpectScalars(module, id, 1, 2);
}

// Inputs, then as many initial values.
absl::Status CheckReduce(const Module& module, InstructionId id) {
  const size_t inputs = module.operands(id).size() / 2;
  TESSERA_RETURN_IF_ERROR(ExpectSameSizes(module, id, 1, inputs));
  return ExpectScalars(module, id, inputs, 2 * inputs);
}

// operand, source, initial value.
absl::Status CheckSelectAndScatter(const Module& module, InstructionId id) {
  const Shape &operand = OperandShape(module, id, 0), &source = OperandShape(module, id, 1);
  const Window window = GetWindow(module, id);
  if (static_cast<int64_t>(window.size()) != operand.rank()) {
    return Mismatch("the window has ", window.size(), " dimensions, the operand ", operand.rank());
  }
  if (source.rank() != operand.rank()) {
    return Mismatch("the source is ", ShapeText(source), " but should be of rank ", operand.rank());
  }
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (operand.is_unbounded(i) || source.is_unbounded(i)) continue;
    const auto size = WindowedSize(operand.dim(i), window[i]);
    if (!size.has_value()) return Mismatch("the window of dimension ", i, " makes no sense");
    if (*size != source.dim(i)) {
      return Mismatch("dimension ", i, " of the source is ", source.dim(i), " but should be ",
                      *size);
    }
  }
  return ExpectScalars(module, id, 2, 3);
}

// Scale, offset, mean, variance: one number a feature. The gradient of the result comes last.
absl::Status CheckBatchNorm(const Module& module, InstructionId id) {
  const Shape& operand = OperandShape(module, id, 0);
  const int64_t f = GetInt(module, id, AttributeName::kFeatureIndex).value_or(-1);
  if (f < 0 || f >= operand.rank()) {
    return Mismatch("feature_index=", f, " is not a dimension of ", ShapeText(operand));
  }
  size_t end = module.operands(id).size();
  if (module.instruction(id).opcode == Opcode::kBatchNormGrad) {
    --end;
    TESSERA_RETURN_IF_ERROR(ExpectSameSizes(module, id, end, end + 1));
  }
  for (size_t i = 1; i < end; ++i) {
    const Shape& s = OperandShape(module, id, i);
    if (s.rank() == 1 && (s.dim(0) == operand.dim(f) || s.is_unbounded(0))) continue;
    return Mismatch("operand ", i, " is ", ShapeText(s), " but should have one element a feature");
  }
  return absl::OkStatus();
}

}  // namespace tessera::hlo
