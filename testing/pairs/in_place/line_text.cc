#include "tessera/testing/pairs/in_place/line_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

constexpr string_view kSharding = "sharding={";
constexpr string_view kFrontend = "frontend_attributes={";
constexpr string_view kModuleKeys[] = {
    "xla.sdy.meshes", "xla.sdy.use_tuple_args", "xla.sdy.import_mhlo_shardings",
    "xla.sdy.tuple_args_shardings", "xla.sdy.tuple_results_shardings"};

string_view KeyOf(string_view attribute) { return attribute.substr(0, attribute.find('=')); }

bool IsWordCharacter(char c) { return absl::ascii_isalnum(c) || c == '_'; }

// Where the separator in front of position `i` begins, not before `begin`.
size_t BeforeSeparator(string_view line, size_t i, size_t begin) {
  if (i > begin && line[i - 1] == ' ') --i;
  if (i > begin && line[i - 1] == ',') --i;
  return i;
}

// `, frontend_attributes={..}` with what is kept of `block`; empty if nothing is.
std::string KeptAttributes(string_view lead, string_view block, string_view dropped,
                           std::vector<std::string>& leftovers) {
  std::vector<string_view> kept;
  for (string_view part : SplitTopLevel(block.substr(1, block.size() - 2))) {
    if (absl::StartsWith(part, "xla.sdy.")) {
      leftovers.emplace_back(part);
    } else if (dropped.empty() || KeyOf(part) != dropped) {
      kept.push_back(part);
    }
  }
  if (kept.empty()) return "";
  return absl::StrCat(lead, "{", absl::StrJoin(kept, ","), "}");
}

}  // namespace

BareLine StripShardings(string_view line, string_view dropped) {
  BareLine bare;
  size_t begin = 0;
  for (size_t i = 0; i < line.size();) {
    const bool word_start = i == 0 || !IsWordCharacter(line[i - 1]);
    const string_view rest = line.substr(i);
    const bool sharding = word_start && absl::StartsWith(rest, kSharding);
    const bool frontend = word_start && absl::StartsWith(rest, kFrontend);
    if (line[i] == '"') {
      i = std::min(ClosingIndex(line, i), line.size());
    } else if (sharding || frontend) {
      const size_t open = i + (sharding ? kSharding : kFrontend).size() - 1;
      const size_t end = std::min(ClosingIndex(line, open), line.size());
      const size_t start = BeforeSeparator(line, i, begin);
      absl::StrAppend(&bare.line, line.substr(begin, start - begin));
      if (frontend) {
        bare.line += KeptAttributes(line.substr(start, open - start), line.substr(open, end - open),
                                    dropped, bare.leftovers);
      }
      begin = i = end;
    } else {
      ++i;
    }
  }
  absl::StrAppend(&bare.line, line.substr(begin));
  return bare;
}

std::string ExpectedModuleLine(string_view line) {
  constexpr string_view kMarker = ", frontend_attributes={";
  const size_t start = line.find(kMarker);
  if (start == string_view::npos) return std::string(line);
  const size_t open = start + kMarker.size() - 1;
  const size_t end = std::min(ClosingIndex(line, open), line.size());
  std::vector<string_view> kept;
  for (string_view part : SplitTopLevel(line.substr(open + 1, end - open - 2))) {
    if (std::find(std::begin(kModuleKeys), std::end(kModuleKeys), KeyOf(part)) ==
        std::end(kModuleKeys)) {
      kept.push_back(part);
    }
  }
  std::string text;
  if (!kept.empty()) {
    text = absl::StrCat(kMarker.substr(0, kMarker.size() - 1), "{", absl::StrJoin(kept, ","), "}");
  }
  return absl::StrCat(line.substr(0, start), text, line.substr(end));
}

namespace {

// Of a name with the element that is taken from it: `tuple.1#0`.
size_t EndOfName(string_view text, size_t at) {
  const auto is_part = [](char c) {
    return IsWordCharacter(c) || c == '.' || c == '-' || c == '#';
  };
  while (at < text.size() && is_part(text[at])) ++at;
  return at;
}

// An element may have another name than the tuple has.
std::string RenameOne(string_view name, const std::function<std::string(string_view)>& rename) {
  const size_t element = name.find('#');
  std::string renamed = rename(name);
  if (element == string_view::npos || renamed != name) return renamed;
  return absl::StrCat(rename(name.substr(0, element)), name.substr(element));
}

}  // namespace

std::string RenameAll(string_view text, const std::function<std::string(string_view)>& rename) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (text[i] == '"') {
      end = std::min(ClosingIndex(text, i), text.size());
    } else if (text[i] == '%') {
      end = EndOfName(text, end);
      absl::StrAppend(&out, "%", RenameOne(text.substr(i + 1, end - i - 1), rename));
      i = end;
      continue;
    }
    absl::StrAppend(&out, text.substr(i, end - i));
    i = end;
  }
  return out;
}

string_view WrittenShape(const Instruction& instruction) {
  const size_t start = instruction.line.find(" = ");
  string_view rest = instruction.line.substr(start + 3);
  return rest.substr(0, rest.find(absl::StrCat(" ", instruction.opcode, "(")));
}

std::string ConstraintCopyLine(const Instruction& instruction) {
  std::string line =
      absl::StrCat("  ", instruction.is_root ? "ROOT " : "", "%", instruction.name, " = ",
                   WrittenShape(instruction), " copy(%", instruction.operands[0], ")");
  const string_view metadata = instruction.Attribute("metadata");
  if (!metadata.empty()) absl::StrAppend(&line, ", metadata=", metadata);
  return line;
}

}  // namespace tessera::testing::pairs
