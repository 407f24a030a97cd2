#include "tessera/hlo/syntax_ranges.h"

#include "tessera/hlo/parse/scanner.h"

namespace tessera::hlo {
namespace {

// Tokens with the number of brackets that are open around them. Words, strings and single other
// bytes are tokens here: that is enough to find names and commas.
class TokenWalk {
 public:
  TokenWalk(absl::string_view text, uint32_t begin, uint32_t end) : in_(text, begin, end) {}

  bool AtEnd() const { return in_.AtEnd(); }
  uint32_t offset() const { return in_.offset(); }
  // After the last token that was read.
  uint32_t last_end() const { return in_.last_end_offset(); }
  char Peek() const { return in_.Peek(); }
  // Whether the next token stands in no bracket; closing ones do not.
  bool IsOutside() const { return depth_ == 0; }

  void Read() {
    const char c = in_.Peek();
    absl::string_view string;
    if (in_.ReadString(&string)) return;
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if (c == ')' || c == ']' || c == '}') --depth_;
    const char* const end = in_.Rest().data() + in_.Rest().size();
    in_.AdvanceTo(HasClass(c, kNameChar) ? NameCharsEnd(in_.at(), end) : in_.at() + 1);
  }

 private:
  Scanner in_;
  int depth_ = 0;
};

// The name in an operand with a shape in front of it; `part` ends with it.
SourceRange NameIn(absl::string_view text, SourceRange part) {
  if (part.empty() || text[part.end - 1] == ')') return part;  // written in place
  uint32_t begin = part.begin;
  char before = 0;
  for (TokenWalk walk(text, part.begin, part.end); !walk.AtEnd(); walk.Read()) {
    const char c = walk.Peek();
    const bool starts = c == '%' || (HasClass(c, kNameStart) && before != '%');
    if (starts && walk.IsOutside()) begin = walk.offset();
    before = c;
  }
  return {begin, part.end};
}

}  // namespace

uint32_t NextToken(absl::string_view text, uint32_t offset) {
  return Scanner(text, offset, text.size()).offset();
}

HeadParts FindHead(const Module& module, InstructionId id) {
  const Instruction& i = module.instruction(id);
  const SourceRange name = module.RangeOf(i.name).value_or(SourceRange());
  TokenWalk walk(module.source_text(), name.end, i.operands_open);
  while (!walk.AtEnd() && walk.Peek() != '=') walk.Read();
  if (!walk.AtEnd()) walk.Read();
  HeadParts head;
  head.shape = {walk.offset(), walk.offset()};
  while (!walk.AtEnd()) {  // the last token is the opcode
    if (head.opcode.end > 0) head.shape.end = head.opcode.end;
    head.opcode.begin = walk.offset();
    walk.Read();
    head.opcode.end = walk.last_end();
  }
  return head;
}

std::vector<SourceRange> SplitAtCommas(absl::string_view text, uint32_t begin, uint32_t end) {
  std::vector<SourceRange> parts;
  TokenWalk walk(text, begin, end);
  SourceRange part = {walk.offset(), walk.offset()};
  while (!walk.AtEnd()) {
    const bool ends = walk.IsOutside() && walk.Peek() == ',';
    walk.Read();
    if (ends) {
      parts.push_back(part);
      part = {walk.offset(), walk.offset()};
    } else {
      part.end = walk.last_end();
    }
  }
  parts.push_back(part);
  return parts;
}

std::vector<SourceRange> FindOperands(const Module& module, InstructionId id) {
  const Instruction& i = module.instruction(id);
  const absl::string_view text = module.source_text();
  if (module.operands(id).empty()) return {};
  std::vector<SourceRange> parts = SplitAtCommas(text, i.operands_open + 1, i.operands_close);
  for (SourceRange& part : parts) part = NameIn(text, part);
  return parts;
}

SourceRange AttributeRangeWithSeparator(const Module& module, InstructionId id, size_t attribute) {
  const absl::string_view text = module.source_text();
  const auto attributes = module.attributes(id);
  const auto value = module.RangeOf(attributes[attribute].value());
  if (!value.has_value()) return {};
  const uint32_t name = value->begin - attributes[attribute].name_distance();
  uint32_t at = name;
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  if (at > 0 && text[at - 1] == ',') return {at - 1, value->end};
  // Line ends or comments: of the commas from what stands before it on, the last one is meant.
  uint32_t from = module.instruction(id).operands_close + 1;
  if (attribute > 0) {
    from = module.RangeOf(attributes[attribute - 1].value()).value_or(SourceRange{from, from}).end;
  }
  uint32_t comma = name;
  for (TokenWalk walk(text, from, name); !walk.AtEnd(); walk.Read()) {
    if (walk.IsOutside() && walk.Peek() == ',') comma = walk.offset();
  }
  return {comma, value->end};
}

}  // namespace tessera::hlo
