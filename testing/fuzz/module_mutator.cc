// Each change is one edit of the text at a place that the parser has found: the module says where
// opcodes, operands and attributes of an instruction stand.

#include "tessera/testing/fuzz/module_mutator.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/opcode.h"
#include "tessera/hlo/parser.h"
#include "tessera/layout/shape_text.h"

namespace tessera::testing {

using hlo::InstructionId;
using hlo::Module;
using hlo::SourceRange;

namespace {

constexpr int kTries = 8;  // changes that are tried until one can be made

absl::string_view TextOf(const Module& m, SourceRange range) {
  return m.source_text().substr(range.begin, range.size());
}

// The opcode stands right before the bracket of the operands.
SourceRange OpcodeRange(const Module& m, InstructionId id) {
  const uint32_t end = m.instruction(id).operands_open;
  uint32_t begin = end;
  const absl::string_view text = m.source_text();
  while (begin > m.instruction(id).source.begin &&
         absl::string_view(" =").find(text[begin - 1]) == absl::string_view::npos) {
    --begin;
  }
  return {begin, end};
}

// Between `=` and the opcode.
SourceRange ShapeRange(const Module& m, InstructionId id) {
  const SourceRange opcode = OpcodeRange(m, id);
  const SourceRange all = m.instruction(id).source;
  const size_t equals = TextOf(m, all).find('=');
  if (equals == absl::string_view::npos) return {};
  return {all.begin + static_cast<uint32_t>(equals) + 1, opcode.begin};
}

bool IsWritten(const Module& m, InstructionId id) {
  const hlo::Instruction& i = m.instruction(id);
  return !i.source.empty() && !i.is_implied && i.operands_open > i.source.begin;
}

constexpr absl::string_view kShardings[] = {
    "{replicated}",
    "{devices=[2,1]<=[2]}",
    "{devices=[2,2]<=[4]}",
    "{devices=[4]<=[4]}",
    "{devices=[2,1,2]<=[4] last_tile_dim_replicate}",
    "{devices=[2,2]<=[4] last_tile_dims={unreduced}}",
    "{devices=[2,2]<=[4] last_tile_dims={manual}}",
    "{manual}",
    "{maximal device=1}",
    "{{replicated}, {devices=[2]<=[2]}}",
    "{mesh['x'=2,'y'=2], [{'x'}, {'y'}]}",
    "{mesh['x'=2,'y'=2], [{'x', ?}, {}], unreduced={'y'}}",
};

constexpr absl::string_view kNumbers[] = {"0",
                                          "1",
                                          "-1",
                                          "2",
                                          "3",
                                          "7",
                                          "8",
                                          "64",
                                          "2147483648",
                                          "4611686018427387904",
                                          "9223372036854775807"};

// What an instruction calls, and what that calls, as far as it has a text of its own: in order of
// the text, callees first.
std::vector<hlo::ComputationId> CalleesInText(const Module& m, InstructionId id) {
  std::vector<bool> seen(m.num_computations());
  std::vector<hlo::ComputationId> found, open(m.called(id).begin(), m.called(id).end());
  while (!open.empty()) {
    const hlo::ComputationId c = open.back();
    open.pop_back();
    if (seen[c]) continue;
    seen[c] = true;
    for (const InstructionId inner : m.computation(c).instructions) {
      open.insert(open.end(), m.called(inner).begin(), m.called(inner).end());
    }
    if (!m.computation(c).is_inline && !m.computation(c).source.empty()) found.push_back(c);
  }
  std::sort(found.begin(), found.end(), [&](hlo::ComputationId a, hlo::ComputationId b) {
    return m.computation(a).source.begin < m.computation(b).source.begin;
  });
  return found;
}

// Where the first computation of the text begins.
uint32_t FirstComputation(const Module& m) {
  uint32_t first = m.source().end;
  for (hlo::ComputationId c = 0; c < m.num_computations(); ++c) {
    const SourceRange source = m.computation(c).source;
    if (!source.empty() && !m.computation(c).is_inline) first = std::min(first, source.begin);
  }
  return first;
}

// Gives names of computations a suffix, wherever they stand as a word; but for `body=`, which is the
// name of an attribute.
class Renamer {
 public:
  Renamer(const Module& m, const std::vector<hlo::ComputationId>& computations, std::string suffix)
      : suffix_(std::move(suffix)) {
    for (const hlo::ComputationId c : computations) names_.insert(m.computation(c).name);
  }

  std::string operator()(absl::string_view text) const {
    const auto in_word = [](char c) {
      return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-';
    };
    std::string out;
    for (size_t i = 0; i < text.size();) {
      size_t end = i;
      while (end < text.size() && in_word(text[end])) ++end;
      const absl::string_view word = text.substr(i, end - i);
      absl::StrAppend(&out, word, IsName(text, end) && names_.contains(word) ? suffix_ : "");
      if (end < text.size()) out += text[end];
      i = end + 1;
    }
    return out;
  }

 private:
  static bool IsName(absl::string_view text, size_t end) {
    return end == text.size() || text[end] != '=';
  }

  absl::flat_hash_set<absl::string_view> names_;
  std::string suffix_;
};

}  // namespace

InstructionId Mutator::AnyWritten(const Module& module) {
  for (int i = 0; i < kTries; ++i) {
    const InstructionId id = static_cast<InstructionId>(Below(module.num_instructions()));
    if (IsWritten(module, id)) return id;
  }
  return hlo::kNoId;
}

bool Mutator::Opcode(const Module& m, InstructionId id, Edit* edit) {
  const int wanted = hlo::GetOpcodeInfo(m.instruction(id).opcode).operand_count;
  for (int i = 0; i < 64; ++i) {
    const auto opcode = static_cast<hlo::Opcode>(Below(hlo::kNumOpcodes));
    if (Below(8) != 0 && hlo::GetOpcodeInfo(opcode).operand_count != wanted) continue;
    *edit = {OpcodeRange(m, id), std::string(hlo::OpcodeName(opcode))};
    return true;
  }
  return false;
}

bool Mutator::Operand(const Module& m, InstructionId id, Edit* edit) {
  const auto operands = m.operands(id);
  if (operands.empty()) return false;
  const InstructionId old = operands[Below(operands.size())];
  const auto& list = m.computation(m.instruction(id).computation).instructions;
  for (int i = 0; i < 64; ++i) {
    const InstructionId candidate = list[Below(list.size())];
    if (candidate >= id || m.instruction(candidate).is_implied) continue;
    if (Below(4) != 0 && m.shape_id(candidate) != m.shape_id(old)) continue;
    const hlo::Instruction& user = m.instruction(id);
    const absl::string_view text =
        m.source_text().substr(user.operands_open, user.operands_close - user.operands_open);
    const size_t at = text.find(m.instruction(old).name);
    if (at == absl::string_view::npos) return false;
    const uint32_t begin = user.operands_open + static_cast<uint32_t>(at);
    *edit = {{begin, begin + static_cast<uint32_t>(m.instruction(old).name.size())},
             std::string(m.instruction(candidate).name)};
    return true;
  }
  return false;
}

bool Mutator::Shape(const Module& m, InstructionId id, Edit* edit) {
  const InstructionId other = AnyWritten(m);
  if (other == hlo::kNoId) return false;
  const SourceRange range = ShapeRange(m, id);
  if (range.empty()) return false;
  *edit = {range, absl::StrCat(" ", layout::ShapeToString(m.shape(other)), " ")};
  return true;
}

// The value of an attribute of the same name elsewhere.
bool Mutator::Value(const Module& m, InstructionId id, Edit* edit) {
  const auto attributes = m.attributes(id);
  if (attributes.empty()) return false;
  const hlo::Attribute& mine = attributes[Below(attributes.size())];
  const auto range = m.RangeOf(mine.value());
  if (!range.has_value()) return false;
  for (int i = 0; i < 64; ++i) {
    const auto value =
        m.FindAttribute(static_cast<InstructionId>(Below(m.num_instructions())), mine.name());
    if (!value.has_value() || *value == mine.value()) continue;
    *edit = {*range, std::string(*value)};
    return true;
  }
  return false;
}

// One number of the instruction, a size or a dimension.
bool Mutator::Number(const Module& m, InstructionId id, Edit* edit) {
  const SourceRange all = m.instruction(id).source;
  const absl::string_view text = TextOf(m, all);
  size_t at = text.find_first_of("0123456789", Below(text.size()));
  if (at == absl::string_view::npos) return false;
  size_t end = text.find_first_not_of("0123456789", at);
  if (end == absl::string_view::npos) end = text.size();
  *edit = {{all.begin + static_cast<uint32_t>(at), all.begin + static_cast<uint32_t>(end)},
           std::string(kNumbers[Below(std::size(kNumbers))])};
  return true;
}

bool Mutator::DropAttribute(const Module& m, InstructionId id, Edit* edit) {
  const auto attributes = m.attributes(id);
  if (attributes.empty()) return false;
  const hlo::Attribute& a = attributes[Below(attributes.size())];
  const auto value = m.RangeOf(a.value());
  if (!value.has_value()) return false;
  const uint32_t name = value->begin - a.name_distance();
  const size_t comma = m.source_text().rfind(',', name);
  if (comma == absl::string_view::npos || comma < m.instruction(id).source.begin) return false;
  *edit = {{static_cast<uint32_t>(comma), value->end}, ""};
  return true;
}

bool Mutator::AddSharding(const Module& m, InstructionId id, Edit* edit) {
  const absl::string_view sharding = kShardings[Below(std::size(kShardings))];
  if (const auto old = m.FindAttribute(id, hlo::AttributeName::kSharding); old.has_value()) {
    const auto range = m.RangeOf(*old);
    if (!range.has_value()) return false;
    *edit = {*range, std::string(sharding)};
    return true;
  }
  const uint32_t end = m.instruction(id).source.end;
  *edit = {{end, end}, absl::StrCat(", sharding=", sharding)};
  return true;
}

bool Mutator::Callee(const Module& m, InstructionId id, Edit* edit) {
  if (m.called(id).empty()) return false;
  const hlo::Computation& old = m.computation(m.called(id)[Below(m.called(id).size())]);
  const auto& other = m.computation(static_cast<hlo::ComputationId>(Below(m.num_computations())));
  const SourceRange all = m.instruction(id).source;
  const size_t at = TextOf(m, all).rfind(old.name);
  if (at == absl::string_view::npos || other.is_inline) return false;
  const uint32_t begin = all.begin + static_cast<uint32_t>(at);
  *edit = {{begin, begin + static_cast<uint32_t>(old.name.size())}, std::string(other.name)};
  return true;
}

// The instruction once more, under another name.
bool Mutator::Repeat(const Module& m, InstructionId id, Edit* edit) {
  const SourceRange all = m.instruction(id).source;
  const SourceRange shape = ShapeRange(m, id);
  if (shape.empty()) return false;
  *edit = {{all.begin, all.begin},
           absl::StrCat("again.", random_(), " = ",
                        m.source_text().substr(shape.begin, all.end - shape.begin), "\n  ")};
  return true;
}

// A new user of an earlier value in front of the instruction.
bool Mutator::Use(const Module& m, InstructionId id, Edit* edit) {
  static constexpr absl::string_view kUsers[] = {"negate", "copy", "opt-barrier", "tanh", "tuple"};
  const auto& list = m.computation(m.instruction(id).computation).instructions;
  const InstructionId used = list[Below(list.size())];
  if (used >= id || m.instruction(used).is_implied) return false;
  const absl::string_view user = kUsers[Below(std::size(kUsers))];
  std::string shape = layout::ShapeToString(m.shape(used));
  if (user == "tuple") shape = absl::StrCat("(", shape, ")");
  const uint32_t begin = m.instruction(id).source.begin;
  *edit = {{begin, begin},
           absl::StrCat("user.", random_(), " = ", shape, " ", user, "(", m.instruction(used).name,
                        ")\n  ")};
  return true;
}

std::string Mutator::ChangeByte(absl::string_view text) {
  std::string out(text);
  if (out.empty()) return "ENTRY e { p = f32[8,4] parameter(0) }";
  out[Below(out.size())] = static_cast<char>(' ' + Below(95));
  return out;
}

std::string Mutator::Change(absl::string_view text) {
  static constexpr Change1 kChanges[] = {
      &Mutator::Opcode,      &Mutator::Operand, &Mutator::Operand,
      &Mutator::Shape,       &Mutator::Value,   &Mutator::Value,
      &Mutator::Number,      &Mutator::Number,  &Mutator::DropAttribute,
      &Mutator::AddSharding, &Mutator::Callee,  &Mutator::Repeat,
      &Mutator::Use};
  const auto module = hlo::ParseModule(text);
  if (!module.ok() || module->num_instructions() == 0) return ChangeByte(text);
  for (int i = 0; i < kTries; ++i) {
    const InstructionId id = AnyWritten(*module);
    Edit edit;
    if (id == hlo::kNoId) break;
    if (!(this->*kChanges[Below(std::size(kChanges))])(*module, id, &edit)) continue;
    return absl::StrCat(text.substr(0, edit.range.begin), edit.text, text.substr(edit.range.end));
  }
  return ChangeByte(text);
}

InstructionId Mutator::EarlierValue(const Module& m, InstructionId at, const layout::Shape& shape) {
  const auto& list = m.computation(m.instruction(at).computation).instructions;
  InstructionId found = hlo::kNoId;
  for (int i = 0; i < 64; ++i) {
    const InstructionId candidate = list[Below(list.size())];
    if (candidate >= at || m.instruction(candidate).is_implied) continue;
    found = candidate;
    if (m.shape(candidate) == shape) break;
  }
  return found;
}

std::string Mutator::Cross(absl::string_view text, absl::string_view other) {
  const auto to = hlo::ParseModule(text), from = hlo::ParseModule(other);
  if (!to.ok() || !from.ok()) return Change(text);
  const InstructionId at = AnyWritten(*to), taken = AnyWritten(*from);
  if (at == hlo::kNoId || taken == hlo::kNoId) return Change(text);
  const std::string suffix = absl::StrCat(".taken", random_());
  std::vector<std::string> operands;
  for (const InstructionId operand : from->operands(taken)) {
    const InstructionId value = EarlierValue(*to, at, from->shape(operand));
    if (value == hlo::kNoId) return Change(text);
    operands.emplace_back(to->instruction(value).name);
  }
  const std::vector<hlo::ComputationId> callees = CalleesInText(*from, taken);
  const Renamer renamed(*from, callees, suffix);
  const SourceRange source = from->instruction(taken).source;
  const uint32_t close = from->instruction(taken).operands_close;
  const std::string line = absl::StrCat(
      "v", suffix, " = ", layout::ShapeToString(from->shape(taken)), " ",
      hlo::OpcodeName(from->instruction(taken).opcode), "(", absl::StrJoin(operands, ", "),
      renamed(from->source_text().substr(close, source.end - close)), "\n  ");
  std::string computations;
  for (const hlo::ComputationId c : callees) {
    absl::StrAppend(&computations, renamed(TextOf(*from, from->computation(c).source)), "\n\n");
  }
  const uint32_t first = FirstComputation(*to), begin = to->instruction(at).source.begin;
  return absl::StrCat(text.substr(0, first), computations, text.substr(first, begin - first), line,
                      text.substr(begin));
}

}  // namespace tessera::testing
