#include "tessera/sharding/passes/import/check_calls.h"

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/call_limits.h"
#include "tessera/hlo/error_at.h"
#include "tessera/layout/leaves.h"
#include "tessera/sharding/passes/queries/purity.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

using hlo::ComputationId;
using hlo::InstructionId;
using hlo::Opcode;
using layout::Shape;

bool SameLeaves(const Shape& a, const Shape& b) {
  if (&a == &b) return true;
  if (!a.is_tuple() && !b.is_tuple()) return a.kind() == b.kind() && a.dims() == b.dims();
  const auto x = layout::LeafShapes(a);
  const auto y = layout::LeafShapes(b);
  if (x.size() != y.size()) return false;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i]->kind() != y[i]->kind() || x[i]->dims() != y[i]->dims()) return false;
  }
  return true;
}

// Instructions whose computations become blocks, each time anew.
bool IsUnfolded(const hlo::Module& module, InstructionId id) {
  const Opcode opcode = module.instruction(id).opcode;
  return opcode == Opcode::kWhile || opcode == Opcode::kConditional || IsPlainCall(module, id);
}

class Checker {
 public:
  explicit Checker(const hlo::Module& module) : module_(module) {}

  // The mistake of the instruction; empty if there is none.
  absl::string_view Fault(InstructionId id) const {
    switch (module_.instruction(id).opcode) {
      case Opcode::kWhile:
        return While(id);
      case Opcode::kConditional:
        return Conditional(id);
      case Opcode::kGetTupleElement:
        return Element(id);
      case Opcode::kDynamicSlice:
        return Start(id, 1);
      case Opcode::kDynamicUpdateSlice:
        return Start(id, 2);
      case Opcode::kCall:
        return IsPlainCall(module_, id) ? Call(id) : "";
      default:
        return "";
    }
  }

 private:
  bool Takes(ComputationId c, absl::Span<const InstructionId> operands) const {
    const auto& parameters = module_.computation(c).parameters;
    if (parameters.size() != operands.size()) return false;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!SameLeaves(module_.shape(parameters[i]), module_.shape(operands[i]))) return false;
    }
    return true;
  }
  bool Gives(ComputationId c, InstructionId id) const {
    return SameLeaves(module_.shape(module_.computation(c).root), module_.shape(id));
  }

  absl::string_view Element(InstructionId id) const {
    const Shape& operand = module_.shape(module_.operands(id)[0]);
    if (!operand.is_tuple()) return "the operand of get-tuple-element must be a tuple";
    const int64_t index = hlo::GetTupleIndex(module_, id);
    const auto elements = operand.tuple_elements();
    if (index < 0 || index >= static_cast<int64_t>(elements.size())) {
      return "the operand has no element of this index";
    }
    return SameLeaves(elements[index], module_.shape(id))
               ? ""
               : "an element must have the shape that it has in the tuple";
  }

  absl::string_view While(InstructionId id) const {
    const auto called = module_.called(id);
    if (called.size() != 2) return "a loop has a body and a condition";
    const auto operands = module_.operands(id);
    if (!Takes(called[0], operands) || !Takes(called[1], operands)) {
      return "the parameter of a loop's body and condition must have the shape of its operand";
    }
    const bool keeps =
        Gives(called[0], id) && SameLeaves(module_.shape(operands[0]), module_.shape(id));
    return keeps ? "" : "a loop, its operand and what its body yields must have one shape";
  }

  absl::string_view Conditional(InstructionId id) const {
    const auto operands = module_.operands(id);
    const auto called = module_.called(id);
    if (operands.size() != called.size() + 1)
      return "a conditional has one operand for each branch";
    for (size_t b = 0; b < called.size(); ++b) {
      if (!Takes(called[b], operands.subspan(b + 1, 1))) {
        return "the parameter of a branch must have the shape of its operand";
      }
      if (!Gives(called[b], id)) return "a conditional must have the shape of its branches' roots";
    }
    return "";
  }

  // Operands from `first` on. XLA's parser and verifier take one array of all indices as well, its
  // Shardy pass has no form for it.
  absl::string_view Start(InstructionId id, size_t first) const {
    const auto operands = module_.operands(id);
    if (operands.size() == first || module_.shape(operands[first]).rank() == 0) return "";
    return "the start is one array of indices, which XLA's Shardy pass refuses; it takes a scalar "
           "for each dimension";
  }

  absl::string_view Call(InstructionId id) const {
    const auto called = module_.called(id);
    if (called.size() != 1) return "a call names one computation";
    if (!Takes(called[0], module_.operands(id))) {
      return "the operands of a call must have the shapes of the parameters";
    }
    return Gives(called[0], id) ? "" : "a call must have the shape of the root that it calls";
  }

  const hlo::Module& module_;
};

}  // namespace

absl::Status CheckCalls(const hlo::Module& module) {
  TESSERA_RETURN_IF_ERROR(hlo::CheckNesting(module));
  TESSERA_RETURN_IF_ERROR(hlo::CheckUnfolded(
      module, [&](InstructionId id) { return IsUnfolded(module, id); },
      "with the bodies of loops, branches and calls in place of each, the module"));
  const Checker checker(module);
  for (ComputationId c = 0; c < module.num_computations(); ++c) {
    for (InstructionId id : module.computation(c).instructions) {
      const absl::string_view fault = checker.Fault(id);
      if (!fault.empty()) return hlo::ErrorAtName(module, id, fault);
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::sharding::passes
