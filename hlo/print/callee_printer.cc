// Called computations: their names, or their bodies in place.

#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/print/module_printer.h"

namespace tessera::hlo {
namespace {

// The word after which the called computations stand.
absl::string_view CalleeAttribute(Opcode opcode, bool full_bodies) {
  switch (opcode) {
    case Opcode::kFusion:
    case Opcode::kAsyncStart:
      return "calls";
    case Opcode::kReduceScatter:
    case Opcode::kScan:
      return full_bodies ? "calls" : "to_apply";
    case Opcode::kCustomCall:
      return "called_computations";
    default:
      return "to_apply";
  }
}

}  // namespace

void ModulePrinter::Called(InstructionId id, int indent) {
  const auto called = module_.called(id);
  if (called.empty()) return;
  const Opcode opcode = module_.instruction(id).opcode;
  if (opcode == Opcode::kWhile) {
    CalledOne("condition", called[1], indent);
    CalledOne("body", called[0], indent);
  } else if (opcode == Opcode::kSelectAndScatter) {
    CalledOne("select", called[0], indent);
    CalledOne("scatter", called[1], indent);
  } else if (opcode == Opcode::kConditional) {
    const auto type = module_.shape(module_.operands(id)[0]).element_type();
    if (type != layout::ElementType::kPred) {
      return CalledList("branch_computations", called, indent);
    }
    CalledOne("true_computation", called[0], indent);
    CalledOne("false_computation", called[1], indent);
  } else {
    const bool full = options_.bodies == PrintOptions::Bodies::kFull;
    const absl::string_view name = CalleeAttribute(opcode, full);
    if (opcode == Opcode::kCustomCall) return CalledList(name, called, indent);
    CalledOne(name, called[0], indent);
  }
}

void ModulePrinter::CalledOne(absl::string_view name, ComputationId id, int indent) {
  absl::StrAppend(&out_, ", ", name, "=");
  if (options_.bodies == PrintOptions::Bodies::kNames) {
    absl::StrAppend(&out_, options_.percent ? "%" : "", names_.computations[id]);
    return;
  }
  out_ += '\n';
  Body(id, indent);
}

void ModulePrinter::CalledList(absl::string_view name, absl::Span<const ComputationId> ids,
                               int indent) {
  absl::StrAppend(&out_, ", ", name, "={");
  const bool full = options_.bodies == PrintOptions::Bodies::kFull;
  if (full) out_ += '\n';
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i > 0) out_ += full ? ",\n" : ", ";
    if (full) {
      Body(ids[i], indent);
    } else {
      absl::StrAppend(&out_, options_.percent ? "%" : "", names_.computations[ids[i]]);
    }
  }
  out_ += full ? "\n}" : "}";
}

// Names start again at tmp_0 in each body.
void ModulePrinter::Body(ComputationId id, int indent) {
  auto outer = std::move(canonical_);
  out_.append(static_cast<size_t>(indent), ' ');
  out_ += "{\n";
  ++depth_;
  Instructions(id, indent + 2);
  --depth_;
  out_.append(static_cast<size_t>(indent), ' ');
  out_ += '}';
  ComputationAttributes(module_.computation(id));
  canonical_ = std::move(outer);
}

}  // namespace tessera::hlo
