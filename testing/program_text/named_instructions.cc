#include "tessera/testing/program_text/named_instructions.h"

#include <cstdint>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/attribute_name.h"
#include "tessera/hlo/opcode.h"
#include "tessera/sharding/passes/text/kind_names.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

using absl::Status;
using absl::string_view;

// `n` of `n#1'2`.
string_view BaseOf(const NamedValue& value, bool one_of_several) {
  string_view base = value.name;
  base = base.substr(0, base.find('\''));
  if (one_of_several) base = base.substr(0, base.rfind('#'));
  return base;
}

string_view BaseOf(const NamedOp& op) {
  return op.results.empty() ? "" : BaseOf(op.results[0], op.results.size() > 1);
}

// Of HLO; a kind's own opcode is not looked at.
hlo::Opcode OpcodeOf(const NamedOp& op) {
  return hlo::OpcodeFromName(op.opcode).value_or(hlo::Opcode::kCustomCall);
}

}  // namespace

layout::Shape ShapeOf(const NamedValue& value) {
  if (value.shape.has_value()) return *value.shape;
  const size_t rank = value.sharding.has_value() ? value.sharding->dims.size() : 0;
  return layout::Shape::Array(layout::ElementType::kF32, std::vector<int64_t>(rank, 8));
}

Status NamedInstructions::Add(const NamedProgram& named) {
  for (const NamedFunction& function : named.functions) {
    TESSERA_RETURN_IF_ERROR(AddFunction(function));
  }
  return absl::OkStatus();
}

Status NamedInstructions::AddFunction(const NamedFunction& function) {
  const hlo::ComputationId id = module_.AddComputation(module_.Keep(function.name));
  computations_.push_back(id);
  if (function.is_entry) module_.SetEntry(id);
  for (const NamedValue& arg : function.body.args) {
    module_.AddInstruction(id, hlo::Opcode::kParameter, module_.Keep(arg.name),
                           module_.InternShape(ShapeOf(arg)), {});
  }
  return AddBlock(function.body, id);
}

Status NamedInstructions::AddBlock(const NamedBlock& block, hlo::ComputationId computation) {
  for (const NamedOp& op : block.ops) {
    if (Has(op)) TESSERA_RETURN_IF_ERROR(AddInstruction(op, computation));
    for (const NamedBlock& inner : op.blocks) {
      TESSERA_RETURN_IF_ERROR(AddBlock(inner, computation));
    }
  }
  return absl::OkStatus();
}

bool NamedInstructions::Has(const NamedOp& op) {
  static constexpr OpKind kOfHlo[] = {OpKind::kConstant,
                                      OpKind::kWhile,
                                      OpKind::kCase,
                                      OpKind::kPredConditional,
                                      OpKind::kNamedComputation,
                                      OpKind::kCall,
                                      OpKind::kManualComputation,
                                      OpKind::kOptBarrier};
  const std::optional<OpKind> kind = KindOf(op.opcode);
  if (!kind.has_value() || absl::c_linear_search(kOfHlo, *kind)) return true;
  return !op.results.empty() && BaseOf(op) != op.opcode;
}

hlo::InstructionId NamedInstructions::Of(const NamedOp& op) const {
  const auto unnamed = unnamed_.find(&op);
  return unnamed != unnamed_.end() ? unnamed->second : by_name_.at(BaseOf(op));
}

Status NamedInstructions::AddInstruction(const NamedOp& op, hlo::ComputationId computation) {
  const auto [known, is_new] = by_name_.try_emplace(BaseOf(op), 0);
  if (!is_new && !op.results.empty()) return absl::OkStatus();
  const layout::Shape shape =
      op.results.empty() ? layout::Shape::Tuple({}) : ShapeOf(op.results[0]);
  const hlo::InstructionId id = module_.AddInstruction(
      computation, OpcodeOf(op), module_.Keep(BaseOf(op)), module_.InternShape(shape), {});
  known->second = id;
  if (op.results.empty()) unnamed_[&op] = id;
  for (const auto& [name, value] : op.attributes) {
    const auto attribute = hlo::AttributeNameFromText(name);
    if (name == "literal") {
      module_.SetLiteralText(id, value);
    } else if (attribute.has_value()) {
      module_.SetAttribute(id, *attribute, value);
    } else {
      return text::ErrorAt(op.offset, absl::StrCat("no attribute is named '", name, "'"));
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::sharding::passes
