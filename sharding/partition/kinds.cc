#include "tessera/sharding/partition/kinds.h"

#include <array>
#include <cstddef>
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

// Of no meaning for the partitioner.
constexpr AttributeName kUnread[] = {
    AttributeName::kFrontendAttributes,
    AttributeName::kStatistics,
    AttributeName::kOrigin,
    AttributeName::kMetadata,
    AttributeName::kBackendConfig,
    AttributeName::kToApply,  // its root is one of the words
};

bool IsRead(AttributeName name) {
  bool is_read = true;
  for (AttributeName unread : kUnread) is_read &= name != unread;
  return is_read;
}

uint64_t Pair(uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; }

}  // namespace

// Its size, its bytes eight by eight, and the last eight of them.
void Kinds::AppendText(const char* begin, const char* end) {
  const auto size = static_cast<size_t>(end - begin);
  words_.push_back(size);
  uint64_t word = 0;
  for (; begin + sizeof(word) < end; begin += sizeof(word)) {
    std::memcpy(&word, begin, sizeof(word));
    words_.push_back(word);
  }
  if (size >= sizeof(word)) {
    std::memcpy(&word, end - sizeof(word), sizeof(word));
  } else {
    for (; begin != end; ++begin) word = word << 8 | static_cast<uint8_t>(*begin);
  }
  words_.push_back(word);
}

// The texts of constants that the visit reads: its own, or what is known of where an update begins.
void Kinds::AppendLiterals(hlo::InstructionId id) {
  const auto append = [this](hlo::InstructionId constant) {
    const absl::string_view text = module_.LiteralText(constant);
    AppendText(text.data(), text.data() + text.size());
  };
  const Opcode opcode = module_.instruction(id).opcode;
  // Large constants are compared by nobody.
  if (opcode == Opcode::kConstant && module_.shape(id).rank() == 0) append(id);
  if (opcode != Opcode::kDynamicUpdateSlice) return;
  for (hlo::InstructionId start : module_.operands(id).subspan(2)) {
    const bool is_known = module_.instruction(start).opcode == Opcode::kConstant;
    words_.push_back(uint64_t{is_known});
    if (is_known) append(start);
  }
}

// Attributes that follow one another in the source are one text.
void Kinds::AppendAttributes(hlo::InstructionId id) {
  constexpr std::ptrdiff_t kComma = 2;
  const char *begin = nullptr, *end = nullptr;
  for (const hlo::Attribute& attribute : module_.attributes(id)) {
    if (!IsRead(attribute.name())) continue;
    const char* const value = attribute.value().data();
    const char* const value_end = value + attribute.value().size();
    const auto distance = static_cast<std::ptrdiff_t>(attribute.name_distance());
    const bool follows = begin != nullptr && distance > 0 && value - end == distance + kComma;
    if (!follows) {
      if (begin != nullptr) AppendText(begin, end);
      words_.push_back(static_cast<uint64_t>(attribute.name()));
      begin = value;
    }
    end = value_end;
  }
  if (begin != nullptr) AppendText(begin, end);
}

Numbering::Numbered Kinds::Of(hlo::InstructionId id) {
  const hlo::Instruction& instruction = module_.instruction(id);
  words_.clear();
  const auto all_called = module_.called(id);
  const auto count = static_cast<uint32_t>(all_called.size());
  words_.push_back(
      Pair(count << 8 | static_cast<uint32_t>(instruction.opcode), instruction.shape));
  for (hlo::ComputationId called : all_called) {
    const hlo::InstructionId root = module_.computation(called).root;
    words_.push_back(static_cast<uint64_t>(module_.instruction(root).opcode));
  }
  AppendLiterals(id);
  AppendAttributes(id);
  const Numbering::Numbered out = numbers_.Of(words_);
  if (!out.is_new) return out;
  kinds_.push_back(KindOf(instruction.opcode));
  if (instruction.opcode == Opcode::kConstant && module_.shape(id).rank() > 0) {
    kinds_.back().may_repeat = false;
  }
  return out;
}

}  // namespace tessera::sharding::partition
