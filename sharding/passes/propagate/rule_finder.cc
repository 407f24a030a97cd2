#include "tessera/sharding/passes/propagate/rule_finder.h"

#include <cstring>
#include <optional>

#include "tessera/hlo/module.h"
#include "tessera/sharding/passes/propagate/hlo_view.h"
#include "tessera/sharding/rules/rules.h"

namespace tessera::sharding::passes {
namespace {

// Constraints have no opcode of their own.
constexpr uint64_t kConstraintHead = hlo::kNumOpcodes;

}  // namespace

RuleFinder::RuleFinder(const HloProgram& program, rules::RuleRegistry* registry,
                       factors::RuleTable* table)
    : program_(program), registry_(*registry), table_(*table) {
  for (size_t i = 0; i < readings_.size(); ++i) {
    const hlo::Opcode opcode = static_cast<hlo::Opcode>(i);
    for (const hlo::AttributeName name : rules::AttributesRead(opcode)) {
      readings_[i].attributes.set(static_cast<size_t>(name));
    }
    readings_[i].says_all = opcode != hlo::Opcode::kCustomCall && !rules::AsksForSlices(opcode) &&
                            !rules::AsksForConstantIndices(opcode);
  }
}

absl::StatusOr<factors::RuleId> RuleFinder::Find(const Op& op) {
  if (op.kind != OpKind::kHlo && op.kind != OpKind::kConstraint) return factors::kNoRule;
  if (!MakeKey(op)) return Ask(op);
  const uint32_t key = keys_.Number(head_, words_);
  if (key < known_.size()) return known_[key];
  const absl::StatusOr<factors::RuleId> rule = Ask(op);
  known_.push_back(rule);
  return rule;
}

// False if the key cannot describe the op completely.
bool RuleFinder::MakeKey(const Op& op) {
  words_.clear();
  head_ = kConstraintHead;
  if (op.kind == OpKind::kHlo) {
    const hlo::Opcode opcode = OpcodeOf(op);
    head_ = static_cast<uint64_t>(opcode);
    const Reading& reading = readings_[static_cast<size_t>(opcode)];
    if (!reading.says_all || !AddAttributes(op, reading)) return false;
  }
  head_ |= static_cast<uint64_t>(op.num_operands()) << 32;
  for (const Use& use : op.operands) {
    if (!AddShape(*use.value())) return false;
  }
  for (const Value& result : op.results) {
    if (!AddShape(result)) return false;
  }
  return true;
}

// Adds the distance from the first shape, in words of eight bytes. False for a value without a
// static shape, or a distance of 16 GiB.
bool RuleFinder::AddShape(const Value& value) {
  const layout::Shape& shape = value.shape();
  if (!shape.is_array() || shape.has_dynamic_dim()) return false;
  if (first_shape_ == nullptr) first_shape_ = &shape;
  static_assert(alignof(layout::Shape) == 8);
  const int64_t words =
      (reinterpret_cast<intptr_t>(&shape) - reinterpret_cast<intptr_t>(first_shape_)) / 8;
  words_.push_back(static_cast<uint32_t>(words));
  return static_cast<int32_t>(words) == words;
}

// An instruction with attributes of the frontend may have a rule of its own.
bool RuleFinder::AddAttributes(const Op& op, const Reading& reading) {
  if (op.part != OpPart::kWhole) return false;
  for (const hlo::Attribute& attribute : program_.module().attributes(op.source)) {
    const hlo::AttributeName name = attribute.name();
    if (name == hlo::AttributeName::kFrontendAttributes) return false;
    if (reading.attributes[static_cast<size_t>(name)]) AddAttribute(name, attribute.value());
  }
  return true;
}

// Name and length, then the bytes, padded with zeros.
void RuleFinder::AddAttribute(hlo::AttributeName name, absl::string_view value) {
  words_.push_back(static_cast<uint32_t>(name));
  words_.push_back(static_cast<uint32_t>(value.size()));
  const size_t begin = words_.size();
  words_.resize(begin + (value.size() + sizeof(uint32_t) - 1) / sizeof(uint32_t));
  if (!value.empty()) std::memcpy(words_.data() + begin, value.data(), value.size());
}

absl::StatusOr<factors::RuleId> RuleFinder::Ask(const Op& op) {
  if (op.kind == OpKind::kHlo) return registry_.RuleOf(HloView(program_, op).get());
  const auto rule = rules::PointwiseRule({&op.operand(0)->shape()}, {&op.result()->shape()});
  return rule.has_value() ? table_.Intern(*rule) : factors::kNoRule;
}

}  // namespace tessera::sharding::passes
