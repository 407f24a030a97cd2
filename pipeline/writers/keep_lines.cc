#include "tessera/pipeline/writers/keep_lines.h"

#include <algorithm>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "tessera/hlo/attributes.h"
#include "tessera/pipeline/writers/pass_attributes.h"

namespace tessera::pipeline::writers {
namespace {

using absl::string_view;
using hlo::AttributeName;
using hlo::InstructionId;
using hlo::SourceRange;

// Takes the changes of a line: what the text of `range` becomes.
using Put = absl::FunctionRef<void(SourceRange range, string_view text)>;

// Replacements in one slice of the source, in any order, put together at the end.
class Patch {
 public:
  Patch(string_view text, SourceRange slice) : text_(text), slice_(slice) {}

  void Replace(SourceRange range, string_view text) {
    parts_.push_back({range, std::string(text)});
  }

  std::string Apply() {
    std::stable_sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
      return std::make_pair(a.range.begin, a.range.end) <
             std::make_pair(b.range.begin, b.range.end);
    });
    std::string out;
    uint32_t at = slice_.begin;
    for (const Part& part : parts_) {
      absl::StrAppend(&out, text_.substr(at, part.range.begin - at), part.text);
      at = part.range.end;
    }
    absl::StrAppend(&out, text_.substr(at, slice_.end - at));
    return out;
  }

 private:
  struct Part {
    SourceRange range;
    std::string text;
  };
  string_view text_;
  SourceRange slice_;
  std::vector<Part> parts_;
};

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Behind the bracket group or string that begins at `i`.
uint32_t Behind(string_view text, uint32_t i, uint32_t end) {
  int depth = 0;
  for (; i < end; ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < end && text[i] != '"'; ++i) i += text[i] == '\\';
    } else if (c == '(' || c == '{' || c == '[') {
      ++depth;
    } else if (c == ')' || c == '}' || c == ']') {
      --depth;
    }
    if (depth == 0) return i + 1;
  }
  return end;
}

// Where the names of the operands stand; a shape in front of a name stays outside.
std::vector<SourceRange> OperandNames(const hlo::Module& module, InstructionId id) {
  const string_view text = module.source_text();
  const hlo::Instruction& i = module.instruction(id);
  std::vector<SourceRange> names;
  uint32_t begin = i.operands_open + 1;
  const auto close = [&](uint32_t end) {
    while (end > begin && IsBlank(text[end - 1])) --end;
    uint32_t start = end;
    while (start > begin && !IsBlank(text[start - 1]) && text[start - 1] != '/') --start;
    if (start < end) names.push_back({start, end});
  };
  for (uint32_t at = begin; at < i.operands_close;) {
    const char c = text[at];
    if (c == ',') {
      close(at);
      begin = ++at;
    } else if (c == '(' || c == '{' || c == '[' || c == '"') {
      at = Behind(text, at, i.operands_close);
    } else {
      ++at;
    }
  }
  close(i.operands_close);
  return names;
}

SourceRange AttributeRange(const hlo::Module& module, const hlo::Attribute& attribute) {
  SourceRange range = module.RangeOf(attribute.value()).value_or(SourceRange());
  if (!range.empty()) range.begin -= attribute.name_distance();
  return range;
}

// The range with the comma and the blanks in front of it.
SourceRange WithSeparator(string_view text, SourceRange range) {
  while (range.begin > 0 && IsBlank(text[range.begin - 1])) --range.begin;
  if (range.begin > 0 && text[range.begin - 1] == ',') --range.begin;
  return range;
}

// `, frontend_attributes={..}` without entries of the pass; nullopt if there are none of those.
std::optional<std::string> WithoutPassEntries(string_view attribute) {
  if (!absl::StrContains(attribute, kPassPrefix)) return std::nullopt;
  std::vector<std::string> kept;
  bool dropped = false;
  for (const hlo::FrontendEntry& entry : hlo::ParseFrontendEntries(attribute)) {
    if (absl::StartsWith(entry.key, kPassPrefix)) {
      dropped = true;
    } else {
      kept.push_back(absl::StrCat(entry.key, "=", entry.value));
    }
  }
  if (!dropped) return std::nullopt;
  if (kept.empty()) return "";
  return absl::StrCat(", frontend_attributes={", absl::StrJoin(kept, ","), "}");
}

void PutHead(const hlo::Module& module, InstructionId id, const LineChange& change, Put put) {
  const string_view text = module.source_text();
  const uint32_t begin = module.instruction(id).source.begin;
  SourceRange name = module.RangeOf(module.instruction(id).name).value_or(SourceRange());
  if (name.begin > begin && text[name.begin - 1] == '%') --name.begin;
  const bool was_root = name.begin > begin;
  // The last line of a computation needs no word to be its root.
  const bool was_implied =
      !was_root && module.computation(module.instruction(id).computation).root == id;
  if (!change.name.empty()) {
    put({begin, name.end}, absl::StrCat(change.is_root ? "ROOT " : "", change.name));
  } else if (was_root && !change.is_root) {
    put({begin, name.begin}, "");
  } else if (!was_root && !was_implied && change.is_root) {
    // With the first byte of the name: what is inserted here is to stand in front of the line.
    put({begin, begin + 1}, absl::StrCat("ROOT ", text.substr(begin, 1)));
  }
}

void PutOperands(const hlo::Module& module, InstructionId id, const LineChange& change, Put put) {
  if (change.operands.empty()) return;
  const std::vector<SourceRange> names = OperandNames(module, id);
  for (const auto& [k, spelled] : change.operands) {
    if (k < names.size()) put(names[k], spelled);
  }
}

// Attributes that may have to change; most instructions have none.
bool HasPassAttributes(const hlo::Module& module, InstructionId id) {
  const auto attributes = module.attributes(id);
  return std::any_of(attributes.begin(), attributes.end(), [](const hlo::Attribute& a) {
    return a.name() == AttributeName::kSharding || a.name() == AttributeName::kFrontendAttributes;
  });
}

void PutAttributes(const hlo::Module& module, InstructionId id, const LineChange& change, Put put) {
  if (change.sharding.empty() && !HasPassAttributes(module, id)) return;
  const string_view text = module.source_text();
  uint32_t place = module.instruction(id).source.end;  // of the new sharding
  for (const hlo::Attribute& a : module.attributes(id)) {
    if (!hlo::IsCommonAttribute(a.name())) continue;
    const SourceRange range = WithSeparator(text, AttributeRange(module, a));
    if (a.name() == AttributeName::kSharding) {
      put(range, "");
      continue;
    }
    place = std::min(place, range.begin);
    if (a.name() != AttributeName::kFrontendAttributes) continue;
    if (const auto kept = WithoutPassEntries(a.value())) put(range, *kept);
  }
  if (!change.sharding.empty()) {
    put({place, place}, absl::StrCat(", sharding=", change.sharding));
  }
}

}  // namespace

void EditLine(const hlo::Module& module, InstructionId id, const LineChange& change,
              hlo::Editor& edit) {
  const auto put = [&](SourceRange range, string_view text) { edit.Replace(range, text); };
  PutHead(module, id, change, put);
  PutOperands(module, id, change, put);
  PutAttributes(module, id, change, put);
}

std::string RenderLine(const hlo::Module& module, InstructionId id, const LineChange& change) {
  Patch patch(module.source_text(), module.instruction(id).source);
  const auto put = [&](SourceRange range, string_view text) { patch.Replace(range, text); };
  PutHead(module, id, change, put);
  PutOperands(module, id, change, put);
  PutAttributes(module, id, change, put);
  return patch.Apply();
}

std::string RenderCopy(const hlo::Module& module, InstructionId id, const LineChange& change) {
  const hlo::Instruction& i = module.instruction(id);
  Patch patch(module.source_text(), {i.source.begin, i.operands_close + 1});
  const auto put = [&](SourceRange range, string_view text) { patch.Replace(range, text); };
  PutHead(module, id, change, put);
  PutOperands(module, id, change, put);
  const uint32_t length = static_cast<uint32_t>(hlo::OpcodeName(i.opcode).size());
  patch.Replace({i.operands_open - length, i.operands_open}, "copy");
  const std::string sharding =
      change.sharding.empty() ? "" : absl::StrCat(", sharding=", change.sharding);
  return absl::StrCat(patch.Apply(), sharding, MetadataTail(module, id));
}

string_view WrittenShape(const hlo::Module& module, InstructionId id) {
  const hlo::Instruction& i = module.instruction(id);
  const string_view text = module.source_text();
  const SourceRange name = module.RangeOf(i.name).value_or(SourceRange());
  const uint32_t opcode = i.operands_open - static_cast<uint32_t>(hlo::OpcodeName(i.opcode).size());
  string_view shape = text.substr(name.end, opcode - name.end);
  shape = absl::StripAsciiWhitespace(shape);
  absl::ConsumePrefix(&shape, "=");
  return absl::StripAsciiWhitespace(shape);
}

std::vector<std::string> WrittenLeafShapes(const hlo::Module& module, InstructionId id) {
  string_view shape = WrittenShape(module, id);
  if (!module.shape(id).is_tuple()) return {std::string(shape)};
  shape = shape.substr(1, shape.size() - 2);
  std::vector<std::string> parts(1);
  for (uint32_t at = 0; at < shape.size();) {
    if (shape.substr(at, 2) == "/*") {
      at = static_cast<uint32_t>(std::min(shape.find("*/", at), shape.size() - 2)) + 2;
    } else if (shape[at] == ',') {
      parts.emplace_back();
      ++at;
    } else {
      const bool opens = shape[at] == '[' || shape[at] == '{' || shape[at] == '(';
      const uint32_t end = opens ? Behind(shape, at, static_cast<uint32_t>(shape.size())) : at + 1;
      absl::StrAppend(&parts.back(), shape.substr(at, end - at));
      at = end;
    }
  }
  for (std::string& part : parts) part = std::string(absl::StripAsciiWhitespace(part));
  return parts;
}

std::string MetadataTail(const hlo::Module& module, InstructionId id) {
  const auto metadata = module.FindAttribute(id, AttributeName::kMetadata);
  return metadata.has_value() ? absl::StrCat(", metadata=", *metadata) : "";
}

}  // namespace tessera::pipeline::writers
