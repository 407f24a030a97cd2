// Layouts in the strict mode: what an instruction passes on as it is must have one layout on both
// sides. A tuple has the layouts of its operands, an element that of its place. A call and a loop
// have those of the callee's parameters and root. All other opcodes may choose the layout of their
// result. One row an opcode; each compares the shapes that are one buffer.

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/verify/inference_context.h"
#include "tessera/hlo/verify/verifier_rules.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {

using layout::Shape;

namespace {

absl::Status Same(const Shape& actual, const Shape& wanted, absl::string_view what) {
  if (layout::Equal(actual, wanted, layout::kIgnoreFloatPrecision)) return absl::OkStatus();
  return Mismatch("layouts: ", what, " is ", layout::ShapeToString(actual), " but should be ",
                  layout::ShapeToString(wanted));
}

absl::Status CheckOperand(const Module& module, InstructionId id) {
  return Same(module.shape(id), OperandShape(module, id, 0), "the result");
}

absl::Status CheckTuple(const Module& module, InstructionId id) {
  const auto elements = module.shape(id).tuple_elements();
  for (size_t i = 0; i < elements.size() && i < module.operands(id).size(); ++i) {
    const absl::Status s =
        Same(elements[i], OperandShape(module, id, i), absl::StrCat("element ", i));
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status CheckElement(const Module& module, InstructionId id) {
  const auto elements = OperandShape(module, id, 0).tuple_elements();
  const int64_t index = GetTupleIndex(module, id);
  if (index < 0 || index >= static_cast<int64_t>(elements.size())) return absl::OkStatus();
  return Same(module.shape(id), elements[index], "the result");
}

// The callee's parameters are the operands from `first` on, or all of them operand `first`.
absl::Status CheckParameters(const Module& module, InstructionId id, ComputationId callee,
                             size_t first) {
  const auto& parameters = module.computation(callee).parameters;
  const size_t given = module.operands(id).size();
  for (size_t i = 0; i < parameters.size() && first + i < given; ++i) {
    const absl::Status s =
        Same(module.shape(parameters[i]), OperandShape(module, id, first + i),
             absl::StrCat("parameter ", i, " of '", module.computation(callee).name, "'"));
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status CheckRoot(const Module& module, InstructionId id, ComputationId callee) {
  return Same(module.shape(module.computation(callee).root), module.shape(id),
              absl::StrCat("the root of '", module.computation(callee).name, "'"));
}

absl::Status CheckLayoutsOfCall(const Module& module, InstructionId id) {
  const ComputationId callee = module.called(id)[0];
  const absl::Status s = CheckParameters(module, id, callee, 0);
  return s.ok() ? CheckRoot(module, id, callee) : s;
}

absl::Status CheckLayoutsOfWhile(const Module& module, InstructionId id) {
  if (const absl::Status s = CheckOperand(module, id); !s.ok()) return s;
  for (ComputationId callee : module.called(id)) {
    if (const absl::Status s = CheckParameters(module, id, callee, 0); !s.ok()) return s;
  }
  return CheckRoot(module, id, module.called(id)[0]);
}

absl::Status CheckLayoutsOfConditional(const Module& module, InstructionId id) {
  const auto branches = module.called(id);
  for (size_t i = 0; i < branches.size(); ++i) {
    if (const absl::Status s = CheckParameters(module, id, branches[i], i + 1); !s.ok()) return s;
    if (const absl::Status s = CheckRoot(module, id, branches[i]); !s.ok()) return s;
  }
  return absl::OkStatus();
}

struct Row {
  Opcode opcode;
  size_t callees;  // at least
  absl::Status (*check)(const Module&, InstructionId);
};

constexpr Row kRows[] = {
    {Opcode::kCall, 1, CheckLayoutsOfCall},   {Opcode::kConditional, 1, CheckLayoutsOfConditional},
    {Opcode::kFusion, 1, CheckLayoutsOfCall}, {Opcode::kGetTupleElement, 0, CheckElement},
    {Opcode::kOptBarrier, 0, CheckOperand},   {Opcode::kTuple, 0, CheckTuple},
    {Opcode::kWhile, 2, CheckLayoutsOfWhile},
};

}  // namespace

absl::Status CheckLayouts(const Module& module, InstructionId id) {
  for (const Row& row : kRows) {
    if (row.opcode != module.instruction(id).opcode) continue;
    return module.called(id).size() < row.callees ? absl::OkStatus() : row.check(module, id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::hlo
