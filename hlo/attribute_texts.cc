#include "tessera/hlo/attribute_texts.h"

#include "tessera/hlo/attribute_printer.h"
#include "tessera/hlo/literal.h"
#include "tessera/hlo/opcode_attributes.h"

namespace tessera::hlo {
namespace {

// Whether an attribute that is not there may print all the same.
bool PrintsWhenAbsent(AttributeName name) {
  using A = AttributeName;
  switch (name) {
    case A::kDimensions:
    case A::kLhsContractingDims:
    case A::kRhsContractingDims:
    case A::kReplicaGroups:
    case A::kLargest:
    case A::kIsAssociative:
    case A::kOutfeedShape:
      return true;
    default:
      return false;
  }
}

// Whether the printed form depends on more than the text, the opcode and the result's shape.
bool DependsOnOperands(AttributeName name) {
  return name == AttributeName::kType || name == AttributeName::kOutfeedShape;
}

// Whether the result's shape takes part.
bool DependsOnShape(AttributeName name, Opcode opcode) {
  return name == AttributeName::kSharding || name == AttributeName::kDomain ||
         opcode == Opcode::kMap;
}

}  // namespace

const std::string* AttributeTexts::Get(InstructionId id, AttributeName name) {
  const auto text = module_.FindAttribute(id, name);
  const Opcode opcode = module_.instruction(id).opcode;
  if (!text.has_value() && !PrintsWhenAbsent(name)) return nullptr;
  if (!text.has_value() || DependsOnOperands(name)) {
    absent_ = FormatAttribute(module_, id, name, options_);
    return absent_.has_value() ? &*absent_ : nullptr;
  }
  const ShapeId shape = DependsOnShape(name, opcode) ? module_.shape_id(id) : 0;
  const auto [it, added] = texts_.try_emplace(Key(*text, name, opcode, shape));
  if (added) it->second = FormatAttribute(module_, id, name, options_);
  return it->second.has_value() ? &*it->second : nullptr;
}

const std::string& AttributeTexts::SmallLiteral(InstructionId id) {
  const absl::string_view text = module_.LiteralText(id);
  const auto [it, added] = literals_.try_emplace({text, module_.shape_id(id)});
  if (added) {
    const auto literal = ParseLiteral(text, module_.shape(id));
    it->second = literal.ok() ? PrintLiteral(*literal) : std::string(text);
  }
  return it->second;
}

}  // namespace tessera::hlo
