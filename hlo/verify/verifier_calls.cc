// Called computations: how many parameters of which shapes, and what they give.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/schema/opcode_table.h"
#include "tessera/hlo/verify/inference_context.h"
#include "tessera/hlo/verify/verifier_rules.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"
#include "tessera/text/status_macros.h"

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
    const Shape& actual = module.shape(parameters[i]);
    if (layout::CompatibleIgnoringFloatPrecision(actual, *wanted[i])) continue;
    return ExpectShape(actual, *wanted[i],
                       absl::StrCat("parameter ", i, " of '", module.computation(c).name, "'"));
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
  if (branches.size() + 1 != module.operands(id).size()) {
    return Mismatch("has ", branches.size(), " branches and ", module.operands(id).size(),
                    " operands");
  }
  for (size_t i = 0; i < branches.size(); ++i) {
    const Shape& operand = module.shape(module.operands(id)[i + 1]);
    if (const absl::Status s = ExpectParameters(module, branches[i], {&operand}); !s.ok()) return s;
    const absl::Status s = ExpectShape(RootShape(module, branches[i]), module.shape(id),
                                       absl::StrCat("the result of branch ", i));
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

bool IsScalar(const Shape& shape) { return shape.is_array() && shape.rank() == 0; }

// `wanted` scalars.
absl::Status ExpectScalarParameters(const Module& module, ComputationId c, size_t wanted) {
  const Computation& callee = module.computation(c);
  if (callee.parameters.size() != wanted) {
    return Mismatch("computation '", callee.name, "' has ", callee.parameters.size(),
                    " parameters but should have ", wanted);
  }
  for (size_t i = 0; i < wanted; ++i) {
    const Shape& shape = module.shape(callee.parameters[i]);
    if (IsScalar(shape)) continue;
    return Mismatch("parameter ", i, " of '", callee.name, "' is ", layout::ShapeToString(shape),
                    " but should be a scalar");
  }
  return absl::OkStatus();
}

// Of `wanted` pairs of scalars a scalar each: one alone, or a tuple of them.
absl::Status ExpectReducer(const Module& module, ComputationId c, size_t wanted) {
  TESSERA_RETURN_IF_ERROR(ExpectScalarParameters(module, c, 2 * wanted));
  const Shape& root = RootShape(module, c);
  const auto elements = root.tuple_elements();
  const bool good = root.is_tuple() ? elements.size() == wanted &&
                                          std::all_of(elements.begin(), elements.end(), IsScalar)
                                    : wanted == 1 && IsScalar(root);
  if (good) return absl::OkStatus();
  return Mismatch("the result of '", module.computation(c).name, "' is ",
                  layout::ShapeToString(root), " but should be ",
                  wanted == 1 ? "a scalar" : absl::StrCat("a tuple of ", wanted, " scalars"));
}

// reduce, reduce-window and scatter: a pair for each input.
absl::Status CheckReducer(const Module& module, InstructionId id) {
  return ExpectReducer(module, module.called(id)[0], module.operands(id).size() / 2);
}

absl::Status ExpectPredicate(const Module& module, ComputationId c, size_t parameters) {
  TESSERA_RETURN_IF_ERROR(ExpectScalarParameters(module, c, parameters));
  return ExpectShape(RootShape(module, c), Shape::Array(ElementType::kPred, {}),
                     absl::StrCat("the result of '", module.computation(c).name, "'"));
}

absl::Status CheckComparator(const Module& module, InstructionId id) {
  return ExpectPredicate(module, module.called(id)[0], 2 * module.operands(id).size());
}

absl::Status CheckPairReducer(const Module& module, InstructionId id) {
  return ExpectReducer(module, module.called(id)[0], 1);
}

absl::Status CheckSelectAndScatterCalls(const Module& module, InstructionId id) {
  TESSERA_RETURN_IF_ERROR(ExpectPredicate(module, module.called(id)[0], 2));
  return ExpectReducer(module, module.called(id)[1], 1);
}

absl::Status CheckMapped(const Module& module, InstructionId id) {
  const ComputationId callee = module.called(id)[0];
  TESSERA_RETURN_IF_ERROR(ExpectScalarParameters(module, callee, module.operands(id).size()));
  if (IsScalar(RootShape(module, callee))) return absl::OkStatus();
  return Mismatch("the result of '", module.computation(callee).name, "' should be a scalar");
}

absl::Status CheckScanned(const Module& module, InstructionId id) {
  const Computation& callee = module.computation(module.called(id)[0]);
  if (callee.parameters.size() == module.operands(id).size()) return absl::OkStatus();
  return Mismatch("computation '", callee.name, "' has ", callee.parameters.size(),
                  " parameters but should have ", module.operands(id).size());
}

absl::Status CheckAnyCallee(const Module&, InstructionId) { return absl::OkStatus(); }

struct CalleeRules {
  size_t callees = 0;
  absl::Status (*check)(const Module&, InstructionId) = nullptr;
};

constexpr size_t kAnyNumber = 0;
constexpr OpcodeTable<CalleeRules> kCalleeRules({
    {Opcode::kAllReduce, {1, CheckPairReducer}},
    {Opcode::kAllReduceStart, {1, CheckPairReducer}},
    {Opcode::kAsyncStart, {1, CheckAnyCallee}},
    {Opcode::kCall, {1, CheckCall}},
    {Opcode::kConditional, {kAnyNumber, CheckConditional}},
    {Opcode::kFusion, {1, CheckCall}},
    {Opcode::kMap, {1, CheckMapped}},
    {Opcode::kReduce, {1, CheckReducer}},
    {Opcode::kReduceScatter, {1, CheckPairReducer}},
    {Opcode::kReduceWindow, {1, CheckReducer}},
    {Opcode::kScan, {1, CheckScanned}},
    {Opcode::kScatter, {1, CheckReducer}},
    {Opcode::kSelectAndScatter, {2, CheckSelectAndScatterCalls}},
    {Opcode::kSort, {1, CheckComparator}},
    {Opcode::kWhile, {2, CheckWhile}},
});

}  // namespace

bool HasCalleeRules(Opcode opcode) { return kCalleeRules[opcode].check != nullptr; }

absl::Status CheckCallees(const Module& module, InstructionId id) {
  const CalleeRules& rules = kCalleeRules[module.instruction(id).opcode];
  if (rules.check == nullptr) return absl::OkStatus();
  if (rules.callees != kAnyNumber && module.called(id).size() != rules.callees) {
    return Mismatch("expected ", rules.callees, " called computations");
  }
  return rules.check(module, id);
}

}  // namespace tessera::hlo
