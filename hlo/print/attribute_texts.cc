#include "tessera/hlo/print/attribute_texts.h"

#include "tessera/hlo/literal.h"
#include "tessera/hlo/print/attribute_printer.h"
#include "tessera/hlo/schema/print_rules.h"
#include "tessera/hlo/values/hash.h"

namespace tessera::hlo {

using A = AttributeName;

namespace {

// Whether the printed form depends on more than the text, the opcode and the result's shape.
bool DependsOnOperands(AttributeName name) {
  return name == A::kType || name == A::kOrder || name == A::kOutfeedShape;
}

// Whether the result's shape takes part.
bool DependsOnShape(AttributeName name, Opcode opcode, const layout::Shape& shape) {
  if (opcode == Opcode::kMap) return true;
  return shape.is_tuple() && (name == A::kSharding || name == A::kDomain);
}

}  // namespace

bool IsSmallConstant(const layout::Shape& shape) {
  constexpr int64_t kMaxPrintedElements = 10;
  return shape.is_array() && shape.NumElements().value_or(0) <= kMaxPrintedElements;
}

const std::string* AttributeTexts::Get(InstructionId id, AttributeName name) {
  const auto text = module_.FindAttribute(id, name);
  if (!text.has_value() && !PrintsWhenAbsent(name)) return nullptr;
  if (!text.has_value() || DependsOnOperands(name)) {
    absent_ = FormatAttribute(module_, id, name, options_);
    return absent_.has_value() ? &*absent_ : nullptr;
  }
  const Entry& entry = FindAttribute(id, name, *text);
  return entry.printed.has_value() ? &*entry.printed : nullptr;
}

bool AttributeTexts::PrintsAsWritten(InstructionId id, const Attribute& attribute) {
  if (DependsOnOperands(attribute.name())) return false;
  const Entry& entry = FindAttribute(id, attribute.name(), attribute.value());
  if (!entry.printed.has_value()) return false;
  const size_t value = AttributeText(attribute.name()).size() + 1;
  return absl::string_view(*entry.printed).substr(value) == attribute.value();
}

AttributeTexts::Entry& AttributeTexts::FindAttribute(InstructionId id, AttributeName name,
                                                     absl::string_view text) {
  const Opcode opcode = module_.instruction(id).opcode;
  bool added = false;
  const bool by_shape = DependsOnShape(name, opcode, module_.shape(id));
  Entry& entry = Find({text, by_shape ? module_.shape_id(id) : 0, name, opcode}, &added);
  if (added) entry.printed = FormatAttribute(module_, id, name, options_);
  return entry;
}

const std::string& AttributeTexts::SmallLiteral(InstructionId id) {
  const absl::string_view text = module_.LiteralText(id);
  bool added = false;
  Entry& entry = Find({text, module_.shape_id(id), A::kLiteral, Opcode::kConstant}, &added);
  if (added) {
    const auto literal = ParseLiteral(text, module_.shape(id));
    entry.printed = literal.ok() ? PrintLiteral(*literal) : std::string(text);
  }
  return *entry.printed;
}

AttributeTexts::Entry& AttributeTexts::Find(const Key& key, bool* added) {
  const uint32_t kind = static_cast<uint32_t>(key.name) << 8 | static_cast<uint32_t>(key.opcode);
  const uint32_t hash = HashText(key.text) ^ (kind ^ key.shape << 16) * 0x9e3779b1u;
  const size_t mask = slots_.size() - 1;
  size_t i = hash & mask;
  for (; slots_[i] != kEmpty; i = (i + 1) & mask) {
    Entry& entry = entries_[slots_[i]];
    if (entry.hash == hash && entry.key.name == key.name && entry.key.opcode == key.opcode &&
        entry.key.shape == key.shape && SameText(entry.key.text, key.text)) {
      return entry;
    }
  }
  *added = true;
  slots_[i] = static_cast<uint32_t>(entries_.size());
  Entry& entry = entries_.emplace_back(Entry{key, hash, std::nullopt});
  if (entries_.size() * 2 > slots_.size()) Grow();
  return entry;
}

void AttributeTexts::Grow() {
  slots_.assign(2 * slots_.size(), kEmpty);
  const size_t mask = slots_.size() - 1;
  for (size_t place = 0; place < entries_.size(); ++place) {
    size_t i = entries_[place].hash & mask;
    while (slots_[i] != kEmpty) i = (i + 1) & mask;
    slots_[i] = static_cast<uint32_t>(place);
  }
}

}  // namespace tessera::hlo
