#include "tessera/sharding/partition/kinds.h"

#include <array>
#include <cstring>

#include "tessera/sharding/rules/op_traits.h"

namespace tessera::sharding::partition {
namespace {

using hlo::AttributeName;
using hlo::Opcode;

// Beside element-wise operations: what looks at the instruction itself, the values of its operands,
// and the root of the computation that it calls. Not who uses it.
constexpr Opcode kRepeatable[] = {
    Opcode::kBitcastConvert,
    Opcode::kBroadcast,
    Opcode::kConcatenate,
    Opcode::kConstant,
    Opcode::kConvolution,
    Opcode::kDot,
    Opcode::kDynamicUpdateSlice,
    Opcode::kDynamicSlice,
    Opcode::kIota,
    Opcode::kPad,
    Opcode::kParameter,
    Opcode::kReduce,
    Opcode::kReduceWindow,
    Opcode::kReshape,
    Opcode::kReverse,
    Opcode::kSlice,
    Opcode::kTranspose,
};

std::array<Kinds::Kind, hlo::kNumOpcodes> MakeTable() {
  std::array<Kinds::Kind, hlo::kNumOpcodes> table = {};
  for (int i = 0; i < hlo::kNumOpcodes; ++i) {
    const bool is_element_wise = rules::IsElementWiseOpcode(static_cast<Opcode>(i));
    table[static_cast<size_t>(i)] = {is_element_wise, is_element_wise};
  }
  for (Opcode opcode : kRepeatable) table[static_cast<size_t>(opcode)].may_repeat = true;
  return table;
}

const Kinds::Kind& KindOf(Opcode opcode) {
  static const std::array<Kinds::Kind, hlo::kNumOpcodes> table = MakeTable();
  return table[static_cast<size_t>(opcode)];
}

// Of no meaning for the partitioner; how it lies is asked of the visit.
bool IsRead(AttributeName name) {
  switch (name) {
    case AttributeName::kSharding:
    case AttributeName::kFrontendAttributes:
    case AttributeName::kStatistics:
    case AttributeName::kOrigin:
    case AttributeName::kMetadata:
    case AttributeName::kBackendConfig:
    case AttributeName::kToApply:  // its root is one of the words
      return false;
    default:
      return true;
  }
}

uint64_t Pair(uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; }

}  // namespace

void Kinds::AppendText(absl::string_view text) {
  words_.push_back(text.size());
  while (text.size() > sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, text.data(), sizeof(word));
    words_.push_back(word);
    text.remove_prefix(sizeof(word));
  }
  uint64_t rest = 0;
  for (size_t i = 0; i < text.size(); ++i) rest = rest << 8 | static_cast<uint8_t>(text[i]);
  words_.push_back(rest);
}

// The texts of constants that the visit reads: its own, or what is known of where an update begins.
void Kinds::AppendLiterals(hlo::InstructionId id) {
  const Opcode opcode = module_.instruction(id).opcode;
  if (opcode == Opcode::kConstant) AppendText(module_.LiteralText(id));
  if (opcode != Opcode::kDynamicUpdateSlice) return;
  for (hlo::InstructionId start : module_.operands(id).subspan(2)) {
    const bool is_known = module_.instruction(start).opcode == Opcode::kConstant;
    AppendText(is_known ? module_.LiteralText(start) : "");
  }
}

void Kinds::AppendAttributes(hlo::InstructionId id) {
  for (const hlo::Attribute& attribute : module_.attributes(id)) {
    if (!IsRead(attribute.name())) continue;
    words_.push_back(static_cast<uint64_t>(attribute.name()));
    AppendText(attribute.value());
  }
}

Kinds::Id Kinds::Of(hlo::InstructionId id, bool unreduced) {
  const hlo::Instruction& instruction = module_.instruction(id);
  Kind kind = KindOf(instruction.opcode);
  // Large constants are compared by nobody.
  const bool is_large = instruction.opcode == Opcode::kConstant && module_.shape(id).rank() > 0;
  if (is_large) kind.may_repeat = false;
  words_.clear();
  words_.push_back(Pair(static_cast<uint32_t>(instruction.opcode) << 1 | uint32_t{unreduced},
                        instruction.shape));
  if (kind.may_repeat) {
    for (hlo::ComputationId called : module_.called(id)) {
      const hlo::InstructionId root = module_.computation(called).root;
      words_.push_back(static_cast<uint64_t>(module_.instruction(root).opcode));
    }
    AppendLiterals(id);
    AppendAttributes(id);
  }
  const auto [number, is_new] = numbers_.Of(words_);
  if (is_new) kinds_.push_back(kind);
  return number;
}

}  // namespace tessera::sharding::partition
