// The straight path: an instruction that is spelled as XLA prints it is walked once, and goes from
// the text into the pools of the module.
//
//   ROOT %dot.7 = f32[8,4]{1,0} dot(%a, %b), rhs_contracting_dims={0}, metadata={op_name="f"}
//   ~~~~~~~~~~~~~ ~~~~~~~~~~~~~~~~~ ~~~~~~~~  ~~~~~~~~~~~~~~~~~~~~~~~~  ~~~~~~~~~~~~~~~~~~~~~~
//   name          head              operands  list                     metadata
//
// Exactly these bytes may stand between the parts, and the head must be known (known_heads.h). If
// anything else is there, up to the bracket after the operands, nothing has happened. Then the
// full grammar (instruction_parser.cc) reads the line, finds its mistakes, and makes its head
// known. A list that is not known (known_attributes.h), and what stands after metadata, are left
// to the grammar of attributes.
//
// The path makes the same as the grammar: ids, ranges, forms. Tested by straight_line_test.cc and
// parser_fuzz.cc, which compare modules read in both ways.
//
// Cost: some 1,300 machine instructions, 550 of them up to the bracket after the operands
// (docs/speed.md).

#include <cstring>

#include "tessera/hlo/parse/module_parser.h"
#include "tessera/hlo/values/value_form.h"

namespace tessera::hlo {
namespace {

using A = AttributeName;

constexpr absl::string_view kMetadataPrefix = ", metadata=";

// After the text stand enough bytes to look at (scanner.h).
bool Follows(const char* p, absl::string_view text) {
  return std::memcmp(p, text.data(), text.size()) == 0;
}

// After the name of `%name` at `p`; null if none is there.
const char* SignedNameEnd(const char* p, const char* end) {
  return *p == '%' && HasClass(p[1], kNameStart) ? NameCharsEnd(p + 1, end) : nullptr;
}

SpellingState FormOf(const StraightLine& line) {
  const ListFacts& facts = line.list == nullptr ? line.head->no_attributes : line.list->facts;
  if (!line.head->form.is_printed()) return SpellingState::kOther;
  if (line.metadata.empty()) return facts.alone;
  const bool has_frame = line.frame != 0 && facts.with_metadata != SpellingState::kOther;
  return has_frame ? SpellingState::kValues : facts.with_metadata;
}

}  // namespace

// `[ROOT ]%name = shape opcode(%a, %b)`.
bool ModuleParser::ReadStraightFront(StraightLine& line) {
  const char* p = line.begin = in_.at();
  line.name.is_root = *p == 'R';
  if (line.name.is_root) {
    if (!Follows(p, "ROOT ") || scope().root != kNoId) return false;
    p += 5;
  }
  const char* const name_end = SignedNameEnd(p, in_.end());
  if (name_end == nullptr || !Follows(name_end, " = ")) return false;
  const NameIds& names = scope().names;
  line.name.at = p;
  line.name.text = Between(p + 1, name_end);
  line.name.hash = names.HashOf(line.name.text);
  names.Prefetch(line.name.hash);
  const absl::string_view head = KnownHeads::Guess(Between(name_end + 3, in_.end()));
  line.head = known_heads_.Find(head);
  if (line.head == nullptr || !line.head->is_straight) return false;
  line.open = head.data() + head.size();
  line.first_operand = static_cast<uint32_t>(module_.id_pool_.size());
  if (ReadStraightOperands(line)) return true;
  module_.id_pool_.resize(line.first_operand);
  return false;
}

bool ModuleParser::ReadStraightOperands(StraightLine& line) {
  if (line.head->opcode == Opcode::kParameter) return ReadStraightParameter(line);
  int count = 0;
  const char* p = line.open + 1;
  while (*p != ')' || count > 0) {
    const char* const end = SignedNameEnd(p, in_.end());
    if (end == nullptr) return false;
    const InstructionId id = FindInstruction(Between(p + 1, end));
    if (id == kNoId) return false;
    module_.id_pool_.push_back(id);
    ++count;
    p = end;
    if (*p == ')') break;
    p = *p == ',' ? CanonicalFormTracker::ExpectedStart(p, count) : nullptr;
    if (p == nullptr) return false;
  }
  line.close = p;
  return line.head->operand_count == kVariadicOperands || line.head->operand_count == count;
}

// `(0)`: up to six digits, none of them a zero in front.
bool ModuleParser::ReadStraightParameter(StraightLine& line) {
  const std::vector<InstructionId>& parameters = scope().parameters;
  const char* const begin = line.open + 1;
  const char* p = begin;
  uint32_t n = 0;
  for (; HasClass(*p, kDigitChar) && p - begin < 6; ++p) n = 10 * n + (*p - '0');
  if (*p != ')' || p == begin || (*begin == '0' && p - begin > 1)) return false;
  const bool is_new = n < parameters.size()
                          ? parameters[n] == kNoId
                          : static_cast<int64_t>(n - parameters.size()) <= MostAhead();
  line.close = p;
  line.parameter_number = n;
  return is_new;
}

// Reads the text after the operands. Adds the instruction and its name.
bool ModuleParser::ReadStraightBack(StraightLine& line) {
  InstructionId id = kNoId;
  if (ReadStraightAttributes(line) ? AddStraight(line, &id) : ReadRestByGrammar(line, &id)) {
    return Register(line.name, id);
  }
  scope().poisoned.insert(line.name.text);
  return false;
}

// A known list, metadata in the printed form, both or none; leaves the reader after them.
bool ModuleParser::ReadStraightAttributes(StraightLine& line) {
  const char* p = line.close + 1;
  if (*p == ',' && !Follows(p, kMetadataPrefix)) {
    line.list_at = KnownAttributes::Guess(Between(p, in_.end()));
    line.list = known_attributes_.Find(line.head->opcode, line.list_at);
    if (line.list == nullptr || !FindStraightCallee(line)) return false;
    p = line.list_at.list.end();
  }
  if (*p == ',' && Follows(p, kMetadataPrefix)) {
    const char* const value = p + kMetadataPrefix.size();
    p = PrintedMetadataEnd(value, in_.end(), &line.frame);
    if (p == nullptr) return false;
    line.metadata = Between(value, p);
  }
  const ListFacts& facts = line.list == nullptr ? line.head->no_attributes : line.list->facts;
  if (!facts.is_complete || *p == ',') return false;
  in_.AdvanceTo(p);
  return in_.Peek() != ',';
}

// Of a list that names one.
bool ModuleParser::FindStraightCallee(StraightLine& line) {
  if (line.list_at.callee.empty()) return true;
  line.callee = FindComputation(line.list_at.callee.substr(1));
  return line.callee != kNoId;
}

bool ModuleParser::AddStraight(const StraightLine& line, InstructionId* id) {
  *id = static_cast<InstructionId>(module_.instructions_.size());
  Instruction& i = module_.instructions_.emplace_back();
  i.name = line.name.text;
  i.opcode = line.head->opcode;
  i.shape = line.head->shape;
  i.computation = scope().expected_id;
  i.parameter_number = line.parameter_number;
  i.operands = {line.first_operand,
                static_cast<uint32_t>(module_.id_pool_.size()) - line.first_operand};
  i.source = {in_.OffsetOf(line.begin), in_.last_end_offset()};
  i.operands_open = in_.OffsetOf(line.open);
  i.operands_close = in_.OffsetOf(line.close);
  i.form = FormOf(line);
  i.attributes_alike = AlikeOf(line);
  i.attributes = AddStraightAttributes(line);
  if (line.callee != kNoId) i.called = module_.PutIds({line.callee});
  if (i.opcode == Opcode::kParameter) AddParameter(i.parameter_number, *id);
  return !line.head->has_check || CheckStraight(line, *id);
}

uint16_t ModuleParser::AlikeOf(const StraightLine& line) const {
  if (line.list == nullptr) return KnownAttributes::kNothing;
  return line.list_at.repeats() ? known_attributes_.NumberOf(*line.list) : 0;
}

PoolRange ModuleParser::AddStraightAttributes(const StraightLine& line) {
  constexpr uint32_t kDistance = 9;  // of `metadata=`
  if (line.list == nullptr && line.metadata.empty()) return {};
  std::vector<Attribute>& pool = module_.attribute_pool_;
  const uint32_t begin = static_cast<uint32_t>(pool.size());
  if (line.list != nullptr) {
    known_attributes_.ForEach(*line.list, line.list_at,
                              [&](const Attribute& a) { pool.push_back(a); });
  }
  if (!line.metadata.empty()) pool.emplace_back(A::kMetadata, line.metadata, kDistance);
  return {begin, static_cast<uint32_t>(pool.size()) - begin};
}

bool ModuleParser::CheckStraight(const StraightLine& line, InstructionId id) {
  const auto operands = module_.operands(id);
  checked_.opcode = line.head->opcode;
  checked_.has_shape = true;
  checked_.open = line.open;
  checked_.operands.assign(operands.begin(), operands.end());
  checked_.called.clear();
  if (line.callee != kNoId) checked_.called.emplace_back(A::kToApply, line.callee);
  checked_.seen = line.list == nullptr ? AttributeNameSet() : line.list->names;
  return CheckOpcode(id, checked_);
}

// The attributes by the grammar, from the bracket on.
bool ModuleParser::ReadRestByGrammar(const StraightLine& line, InstructionId* id) {
  std::vector<InstructionId>& pool = module_.id_pool_;
  ParsedInstruction d;
  d.begin = line.begin;
  d.name_at = line.name.at;
  d.name = line.name.text;
  d.root = line.name.is_root;
  d.has_shape = true;
  d.shape = line.head->shape;
  d.opcode = line.head->opcode;
  d.open = line.open;
  d.close = line.close;
  d.parameter_number = line.parameter_number;
  d.operands.assign(pool.begin() + line.first_operand, pool.end());
  d.form = line.head->form;
  pool.resize(line.first_operand);
  in_.AdvanceTo(line.close + 1);
  return ReadAfterOperands(d, id);
}

}  // namespace tessera::hlo
