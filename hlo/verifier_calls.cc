// Called computations: how many parameters of which shapes, and what they give.

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/inference_context.h"
#include "tessera/hlo/verifier_rules.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {

using layout::ElementType;
using layout::Shape;

namespace {

const Shape& RootShape(const Module& module, ComputationId c) {
  return module.shape(module.computation(c).root);
}

absl::Status ExpectShape(const Shape& actual, const Shape& wanted, absl::string_view what) {
  if (layout::CompatibleIgnoringFloatPrecision(actual, wanted)) return absl::OkStatus();
  return Mismatch(what, " is ", layout::ShapeToString(actual), " but should be ",
                  layout::ShapeToString(wanted));
}

absl::Status ExpectParameters(const Module& module, ComputationId c,
                              const std::vector<const Shape*>& wanted) {
  const auto& parameters = module.computation(c).parameters;
  if (parameters.size() != wanted.size()) {
    return Mismatch("computation '", module.computation(c).name, "' has ", parameters.size(),
                    " parameters but should have ", wanted.size());
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    const absl::Status status =
        ExpectShape(module.shape(parameters[i]), *wanted[i],
                    absl::StrCat("parameter ", i, " of '", module.computation(c).name, "'"));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

std::vector<const Shape*> OperandShapes(const Module& module, InstructionId id) {
  std::vector<const Shape*> shapes;
  for (InstructionId operand : module.operands(id)) shapes.push_back(&module.shape(operand));
  return shapes;
}

// call and fusion.
absl::Status CheckCall(const Module& module, InstructionId id) {
  const ComputationId callee = module.called(id)[0];
  const absl::Status status = ExpectParameters(module, callee, OperandShapes(module, id));
  if (!status.ok()) return status;
  return ExpectShape(RootShape(module, callee), module.shape(id), "the result of the callee");
}

absl::Status CheckWhile(const Module& module, InstructionId id) {
  const Shape& state = module.shape(module.operands(id)[0]);
  const ComputationId body = module.called(id)[0], condition = module.called(id)[1];
  for (ComputationId c : {body, condition}) {
    if (const absl::Status s = ExpectParameters(module, c, {&state}); !s.ok()) return s;
  }
  if (const absl::Status s = ExpectShape(RootShape(module, body), state, "the result of the body");
      !s.ok()) {
    return s;
  }
  return ExpectShape(RootShape(module, condition), Shape::Array(ElementType::kPred, {}),
                     "the result of the condition");
}

absl::Status CheckConditional(const Module& module, InstructionId id) {
  const auto branches = module.called(id);
  for (size_t i = 0; i < branches.size(); ++i) {
    const Shape& operand = module.shape(module.operands(id)[i + 1]);
    if (const absl::Status s = ExpectParameters(module, branches[i], {&operand}); !s.ok()) return s;
    const absl::Status s = ExpectShape(RootShape(module, branches[i]), module.shape(id),
                                       absl::StrCat("the result of branch ", i));
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status ExpectParameterCount(const Module& module, InstructionId id, size_t wanted) {
  const Computation& callee = module.computation(module.called(id)[0]);
  if (callee.parameters.size() == wanted) return absl::OkStatus();
  return Mismatch("computation '", callee.name, "' has ", callee.parameters.size(),
                  " parameters but should have ", wanted);
}

absl::Status CheckReducer(const Module& module, InstructionId id) {
  return ExpectParameterCount(module, id, module.operands(id).size());
}

absl::Status CheckComparator(const Module& module, InstructionId id) {
  const absl::Status s = ExpectParameterCount(module, id, 2 * module.operands(id).size());
  if (!s.ok()) return s;
  return ExpectShape(RootShape(module, module.called(id)[0]), Shape::Array(ElementType::kPred, {}),
                     "the result of the comparator");
}

absl::Status CheckCombiner(const Module& module, InstructionId id) {
  return ExpectParameterCount(module, id, module.operands(id).size() / 2 * 2);
}

absl::Status CheckPairReducer(const Module& module, InstructionId id) {
  return ExpectParameterCount(module, id, 2);
}

struct Row {
  Opcode opcode;
  size_t callees;
  absl::Status (*check)(const Module&, InstructionId);
};

constexpr size_t kAnyNumber = 0;
constexpr Row kRows[] = {
    {Opcode::kAllReduce, 1, CheckPairReducer},
    {Opcode::kCall, 1, CheckCall},
    {Opcode::kConditional, kAnyNumber, CheckConditional},
    {Opcode::kFusion, 1, CheckCall},
    {Opcode::kReduce, 1, CheckReducer},
    {Opcode::kReduceScatter, 1, CheckPairReducer},
    {Opcode::kReduceWindow, 1, CheckReducer},
    {Opcode::kScatter, 1, CheckCombiner},
    {Opcode::kSort, 1, CheckComparator},
    {Opcode::kWhile, 2, CheckWhile},
};

}  // namespace

absl::Status CheckCallees(const Module& module, InstructionId id) {
  for (const Row& row : kRows) {
    if (row.opcode != module.instruction(id).opcode) continue;
    if (row.callees != kAnyNumber && module.called(id).size() != row.callees) {
      return Mismatch("expected ", row.callees, " called computations");
    }
    return row.check(module, id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::hlo
