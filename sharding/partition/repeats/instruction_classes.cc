#include "tessera/sharding/partition/repeats/instruction_classes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/ops/indexed/iota_index.h"
#include "tessera/sharding/rules/op_traits.h"

namespace tessera::sharding::partition {
namespace {

using hlo::AttributeName;
using hlo::Opcode;

// Beside element-wise operations: opcodes whose partitioner reads the instruction, its operand
// values and the root of its called computation, but no users. For gather and scatter, the class
// includes the dimensions along which indices count.
constexpr Opcode kRepeatable[] = {
    Opcode::kBitcastConvert,
    Opcode::kBroadcast,
    Opcode::kConcatenate,
    Opcode::kConstant,
    Opcode::kConvolution,
    Opcode::kDot,
    Opcode::kDynamicUpdateSlice,
    Opcode::kDynamicSlice,
    Opcode::kGather,
    Opcode::kIota,
    Opcode::kPad,
    Opcode::kParameter,
    Opcode::kReduce,
    Opcode::kReshape,
    Opcode::kReverse,
    Opcode::kScatter,
    Opcode::kSlice,
    Opcode::kTranspose,
};

std::array<InstructionClasses::Class, hlo::kNumOpcodes> MakeTable() {
  std::array<InstructionClasses::Class, hlo::kNumOpcodes> table = {};
  for (int i = 0; i < hlo::kNumOpcodes; ++i) {
    const bool is_element_wise = rules::IsElementWiseOpcode(static_cast<Opcode>(i));
    table[static_cast<size_t>(i)] = {is_element_wise, false, is_element_wise,
                                     static_cast<Opcode>(i), 0};
  }
  table[static_cast<size_t>(Opcode::kSlice)].is_by_shard = true;
  table[static_cast<size_t>(Opcode::kSlice)].cuts_or_joins = true;
  table[static_cast<size_t>(Opcode::kConcatenate)].cuts_or_joins = true;
  for (Opcode opcode : kRepeatable) table[static_cast<size_t>(opcode)].may_repeat = true;
  return table;
}

const InstructionClasses::Class& KindOf(Opcode opcode) {
  static const std::array<InstructionClasses::Class, hlo::kNumOpcodes> table = MakeTable();
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
    AttributeName::kIndex,    // of a tuple's element, which is never done again from memory
};

constexpr std::array<bool, 256> MakeIsRead() {
  std::array<bool, 256> is_read = {};
  for (bool& one : is_read) one = true;
  for (AttributeName name : kUnread) is_read[static_cast<uint8_t>(name)] = false;
  return is_read;
}

constexpr std::array<bool, 256> kIsRead = MakeIsRead();

bool IsIndexed(Opcode opcode) { return opcode == Opcode::kGather || opcode == Opcode::kScatter; }

// Other instructions are part of its class.
bool LooksAround(Opcode opcode) {
  return opcode == Opcode::kDynamicUpdateSlice || IsIndexed(opcode);
}

bool IsRead(AttributeName name) { return kIsRead[static_cast<uint8_t>(name)]; }

}  // namespace

// Its size, its bytes eight by eight, and the last eight of them.
void InstructionClasses::AppendText(const char* begin, const char* end) {
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

// The texts of constants that the visit reads: its own, or the known start of an update.
void InstructionClasses::AppendLiterals(hlo::InstructionId id) {
  const auto append = [this](hlo::InstructionId constant) {
    const absl::string_view text = module_.LiteralText(constant);
    AppendText(text.data(), text.data() + text.size());
  };
  const Opcode opcode = module_.instruction(id).opcode;
  // Large constants are never compared.
  if (opcode == Opcode::kConstant && module_.shape(id).rank() == 0) append(id);
  if (opcode != Opcode::kDynamicUpdateSlice) return;
  for (hlo::InstructionId start : module_.operands(id).subspan(2)) {
    const bool is_known = module_.instruction(start).opcode == Opcode::kConstant;
    words_.push_back(uint64_t{is_known});
    if (is_known) append(start);
  }
}

// Of a gather or scatter.
void InstructionClasses::AppendIndices(hlo::InstructionId id) {
  const auto operands = module_.operands(id);
  if (operands.size() < 2) return;
  const bool is_gather = module_.instruction(id).opcode == Opcode::kGather;
  const hlo::InstructionId indices = operands[is_gather ? 1 : (operands.size() - 1) / 2];
  const int64_t dim = hlo::GetInt(module_, id, AttributeName::kIndexVectorDim).value_or(0);
  for (const IndexPart& part : PartsOfIndices(view_, indices, dim)) {
    words_.push_back(static_cast<uint64_t>(part.elements));
    words_.push_back(static_cast<uint64_t>(part.iota_dim));
  }
  if (is_gather || module_.called(id).empty()) return;
  // Which parameters the root of the reducer reads.
  const hlo::Computation& reducer = module_.computation(module_.called(id)[0]);
  words_.push_back(reducer.parameters.size());
  for (hlo::InstructionId operand : module_.operands(reducer.root)) {
    const auto at = std::find(reducer.parameters.begin(), reducer.parameters.end(), operand);
    words_.push_back(static_cast<uint64_t>(at - reducer.parameters.begin()));
  }
}

// Attributes that follow one another in the source are one text.
void InstructionClasses::AppendAttributes(hlo::InstructionId id) {
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

// The number of the attribute list identifies everything that is read of it.
bool InstructionClasses::AreNumbered(hlo::InstructionId id) const {
  const auto attributes = module_.attributes(id);
  const auto is_read = [](const hlo::Attribute& a) { return IsRead(a.name()); };
  const auto unread = std::find_if_not(attributes.begin(), attributes.end(), is_read);
  if (module_.instruction(id).attributes_alike == 0) return false;
  return unread == attributes.end() || (unread->name() == AttributeName::kMetadata &&
                                        std::none_of(unread, attributes.end(), is_read));
}

// As long as those of wide tuples: few, and equal ones are adjacent.
bool InstructionClasses::AreLong(hlo::InstructionId id) const {
  constexpr size_t kLong = 1024;
  const auto attributes = module_.attributes(id);
  return std::any_of(attributes.begin(), attributes.end(), [](const hlo::Attribute& a) {
    return IsRead(a.name()) && a.value().size() > kLong;
  });
}

InstructionClasses::Model InstructionClasses::ModelOf(hlo::InstructionId id) const {
  const hlo::Instruction& instruction = module_.instruction(id);
  Model model;
  model.id = id;
  model.shape = instruction.shape;
  model.opcode = instruction.opcode;
  // What is looked at beside the attributes is for the words.
  if (instruction.opcode == Opcode::kConstant || LooksAround(instruction.opcode)) return model;
  const auto attributes = module_.attributes(id);
  const auto metadata =
      std::find_if(attributes.begin(), attributes.end(),
                   [](const hlo::Attribute& a) { return a.name() == AttributeName::kMetadata; });
  model.most = static_cast<uint32_t>(metadata - attributes.begin()) + 1;
  if (attributes.size() <= model.most) model.alike = instruction.attributes_alike;
  return model;
}

// Attribute by attribute. Additional attributes that are not read are left to the comparison of
// words.
bool InstructionClasses::SameAttributes(hlo::InstructionId a, hlo::InstructionId b) const {
  const auto of_a = module_.attributes(a), of_b = module_.attributes(b);
  if (of_a.size() != of_b.size()) return false;
  const hlo::Attribute* y = of_b.data();
  for (const hlo::Attribute *x = of_a.data(), *end = x + of_a.size(); x != end; ++x, ++y) {
    if (x->name() != y->name()) return false;
    if (IsRead(x->name()) && x->value() != y->value()) return false;
  }
  return true;
}

// For constants; the literal of a large one is not part of the class.
bool InstructionClasses::SameLiteral(hlo::InstructionId a, hlo::InstructionId b) const {
  return module_.shape(a).rank() > 0 || module_.LiteralText(a) == module_.LiteralText(b);
}

// Of two with the same opcode and shape.
bool InstructionClasses::SameParts(hlo::InstructionId id, const Model& model) const {
  const hlo::Instruction& a = module_.instruction(id);
  const hlo::Instruction& b = module_.instruction(model.id);
  if (a.called.size != b.called.size) return false;
  for (uint32_t i = 0; i < a.called.size; ++i) {
    if (RootOf(module_.called(id)[i]) != RootOf(module_.called(model.id)[i])) return false;
  }
  // Where other instructions are part of the class a comparison is not worth its while.
  if (LooksAround(a.opcode) || !SameAttributes(id, model.id)) return false;
  return a.opcode != Opcode::kConstant || SameLiteral(id, model.id);
}

Opcode InstructionClasses::RootOf(hlo::ComputationId called) const {
  return module_.instruction(module_.computation(called).root).opcode;
}

size_t InstructionClasses::Follow(absl::Span<const hlo::InstructionId> ids,
                                  std::vector<Id>& class_of) {
  size_t count = 0;
  while (count < ids.size() && expected_ < seen_.size()) {
    const size_t most = std::min(ids.size() - count, seen_.size() - expected_);
    const Id* const expected = seen_.data() + expected_;
    size_t agreed = 0;
    for (const hlo::InstructionId* id = ids.data() + count;
         agreed < most && IsLike(*id, expected[agreed]); ++id) {
      class_of[*id] = expected[agreed++];
    }
    if (expected_ < followed_begin_ || expected_ + agreed > followed_end_) {
      for (size_t i = 0; i < agreed; ++i) classes_[expected[i]].comes_again = true;
    }
    followed_begin_ = seen_.size();
    followed_end_ = seen_.size() + agreed;
    seen_.resize(seen_.size() + agreed);
    std::copy_n(seen_.data() + expected_, agreed, seen_.data() + seen_.size() - agreed);
    expected_ += static_cast<uint32_t>(agreed);
    count += agreed;
    if (agreed < most) break;
  }
  return count;
}

// Often it is the last class of such instructions.
Numbering::Numbered InstructionClasses::Of(hlo::InstructionId id) {
  const hlo::Instruction& instruction = module_.instruction(id);
  Id& recent =
      recent_[(instruction.shape * 31 + static_cast<size_t>(instruction.opcode)) % recent_.size()];
  Numbering::Numbered found = {recent, false};
  if (recent == kNone || !IsLike(id, recent)) found = LookUp(id);
  recent = found.number;
  if (!found.is_new) classes_[found.number].comes_again = true;
  expected_ = found.is_new ? kNone : models_[found.number].latest + 1;
  Note(found.number);
  return found;
}

Numbering::Numbered InstructionClasses::LookUp(hlo::InstructionId id) {
  const hlo::Instruction& instruction = module_.instruction(id);
  words_.clear();
  words_.push_back(Pair(instruction.called.size << 8 | static_cast<uint32_t>(instruction.opcode),
                        instruction.shape));
  for (hlo::ComputationId called : module_.called(id)) {
    words_.push_back(static_cast<uint64_t>(RootOf(called)));
  }
  AppendLiterals(id);
  if (AreNumbered(id)) {
    words_.push_back(Pair(kNone, instruction.attributes_alike));
  } else if (AreLong(id)) {
    words_.push_back(Pair(kNone - 1, id));  // a class of its own
  } else {
    AppendAttributes(id);
  }
  if (IsIndexed(instruction.opcode)) AppendIndices(id);
  const Numbering::Numbered out = numbers_.Of(words_);
  if (!out.is_new) return out;
  models_.push_back(ModelOf(id));
  classes_.push_back(KindOf(instruction.opcode));
  classes_.back().shape = instruction.shape;
  if (instruction.opcode == Opcode::kConstant && module_.shape(id).rank() > 0) {
    classes_.back().may_repeat = false;
  }
  return out;
}

}  // namespace tessera::sharding::partition
