#include "tessera/testing/pairs/dump.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

std::string WithoutComments(string_view line) {
  std::string out;
  while (true) {
    const size_t start = line.find("/*");
    const size_t end = start == string_view::npos ? start : line.find("*/", start + 2);
    if (end == string_view::npos) break;
    out.append(line.data(), start);
    line.remove_prefix(end + 2);
  }
  out.append(line.data(), line.size());
  return out;
}

string_view Bare(string_view name) {
  name = absl::StripAsciiWhitespace(name);
  absl::ConsumePrefix(&name, "%");
  return name;
}

// `w#1` somewhere.
bool NamesElements(string_view text) {
  const auto is_name = [](char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.'; };
  for (size_t i = text.find('#'); i != string_view::npos; i = text.find('#', i + 1)) {
    const bool is_element =
        i > 0 && is_name(text[i - 1]) && i + 1 < text.size() && absl::ascii_isdigit(text[i + 1]);
    if (is_element) return true;
  }
  return false;
}

// The opcode, operands and attributes: `add(f32[] %a, %b), metadata={..}`.
bool ReadCall(string_view text, Instruction& made) {
  const size_t open = text.find('(');
  const size_t close = open == string_view::npos ? open : ClosingIndex(text, open);
  if (close == string_view::npos) return false;
  made.opcode = text.substr(0, open);
  const string_view inside = text.substr(open + 1, close - open - 2);
  if (made.has_literal()) {
    made.operands.push_back(absl::StripAsciiWhitespace(inside));
  } else {
    for (string_view part : SplitTopLevel(inside)) {
      made.operands.push_back(Bare(part.substr(part.rfind(' ') + 1)));
    }
  }
  string_view tail = text.substr(close);
  absl::ConsumePrefix(&tail, ",");
  made.attributes = ParseAttributes(SplitTopLevel(tail), 0);
  return true;
}

}  // namespace

bool Instruction::has_literal() const {
  return opcode == "constant" || opcode == "parameter" || opcode == "iota";
}

int Instruction::element() const {
  int index = 0;
  return absl::SimpleAtoi(Attribute("index"), &index) ? index : 0;
}

const Instruction* Computation::Get(string_view instruction) const {
  const auto found = index.find(instruction);
  return found == index.end() ? nullptr : &instructions[found->second];
}

std::vector<int> Computation::Parameters() const {
  std::vector<std::pair<int, int>> numbered;
  for (size_t i = 0; i < instructions.size(); ++i) {
    int number = 0;
    if (instructions[i].opcode != "parameter") continue;
    if (!absl::SimpleAtoi(instructions[i].operands[0], &number)) continue;
    numbered.emplace_back(number, static_cast<int>(i));
  }
  std::sort(numbered.begin(), numbered.end());
  std::vector<int> found;
  for (const auto& [number, position] : numbered) found.push_back(position);
  return found;
}

Dump::Dump(std::string text) : text_(std::move(text)), names_elements_(NamesElements(text_)) {
  int current = -1;
  for (string_view line : absl::StrSplit(text_, '\n')) ReadLine(line, current);
  for (size_t i = 0; i < computations_.size(); ++i) {
    Computation& c = computations_[i];
    if (c.root < 0) c.root = static_cast<int>(c.instructions.size()) - 1;
    if (c.is_entry && c.root >= 0) entry_ = static_cast<int>(i);
    index_.emplace(c.name, i);
  }
}

const Computation* Dump::Get(string_view computation) const {
  const auto found = index_.find(computation);
  return found == index_.end() ? nullptr : &computations_[found->second];
}

string_view Dump::Keep(std::string text) {
  cleaned_.push_back(std::move(text));
  return cleaned_.back();
}

void Dump::ReadLine(string_view line, int& current) {
  const bool indented = !line.empty() && line[0] == ' ';
  if (current >= 0 && indented && line.find(" = ") != string_view::npos) {
    ReadInstruction(line, computations_[current]);
    return;
  }
  if (!indented && absl::StartsWith(line, "HloModule ")) {
    ReadModuleLine(line);
  } else if (!indented && absl::EndsWith(line, "{")) {
    OpenComputation(line, current);
  }
  frame_.push_back({current < 0 ? string_view() : computations_[current].name, line});
  if (absl::StartsWith(line, "}")) current = -1;
}

void Dump::ReadModuleLine(string_view line) {
  attributes_ = ParseAttributes(SplitTopLevel(line.substr(sizeof("HloModule ") - 1)), 1);
}

void Dump::OpenComputation(string_view line, int& current) {
  Computation made;
  made.is_entry = absl::ConsumePrefix(&line, "ENTRY ");
  made.name = Bare(line.substr(0, line.find(' ')));
  current = static_cast<int>(computations_.size());
  computations_.push_back(std::move(made));
}

void Dump::ReadInstruction(string_view line, Computation& computation) {
  Instruction made;
  made.line = line;
  string_view text = line;
  if (line.find("/*") != string_view::npos) text = Keep(WithoutComments(line));
  text = absl::StripAsciiWhitespace(text);
  made.is_root = absl::ConsumePrefix(&text, "ROOT ");
  if (!ReadShape(&text, made) || !ReadCall(text, made)) return;
  if (made.is_root) computation.root = static_cast<int>(computation.instructions.size());
  computation.index.emplace(made.name, computation.instructions.size());
  const string_view name = made.name, shape = made.shape, sharding = made.sharding();
  computation.instructions.push_back(std::move(made));
  if (names_elements_) AddElements(name, shape, sharding, computation);
}

void Dump::AddElements(string_view tuple, string_view shape, string_view sharding,
                       Computation& computation) {
  if (shape.empty() || shape[0] != '(') return;
  int index = 0;
  std::vector<string_view> leaves;
  if (absl::StartsWith(sharding, "{{"))
    leaves = SplitTopLevel(sharding.substr(1, sharding.size() - 2));
  for (string_view element : SplitTopLevel(shape.substr(1, shape.size() - 2))) {
    Instruction made;
    made.name = Keep(absl::StrCat(tuple, "#", index));
    made.shape = element;
    made.opcode = "get-tuple-element";
    made.operands = {tuple};
    made.attributes = {{"index", made.name.substr(tuple.size() + 1)}};
    const auto at = static_cast<size_t>(index);
    if (element[0] != '(' && at < leaves.size())
      made.attributes.emplace_back("sharding", leaves[at]);
    made.line = Keep(absl::StrCat("  %", made.name, " = ", element, " get-tuple-element(%", tuple,
                                  "), index=", index++));
    computation.index.emplace(made.name, computation.instructions.size());
    computation.instructions.push_back(made);
    AddElements(made.name, element, "", computation);
  }
}

bool Dump::ReadShape(string_view* text, Instruction& made) {
  const size_t equal = text->find(" = ");
  if (equal == string_view::npos) return false;
  made.name = Bare(text->substr(0, equal));
  text->remove_prefix(equal + 3);
  const size_t end = EndOfShape(*text);
  if (end >= text->size()) return false;
  made.shape = text->substr(0, end);
  if (made.shape.find(' ') != string_view::npos) {
    made.shape = Keep(absl::StrReplaceAll(made.shape, {{" ", ""}}));
  }
  *text = absl::StripLeadingAsciiWhitespace(text->substr(end));
  return true;
}

}  // namespace tessera::testing::pairs
