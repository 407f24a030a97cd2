#include "tessera/pipeline/writers/written_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tessera/hlo/attributes.h"

namespace tessera::pipeline::writers {
namespace {

using absl::string_view;
using hlo::InstructionId;
using hlo::SourceRange;

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

}  // namespace

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
  const string_view text = module.source_text();
  SourceRange range = module.RangeOf(attribute.value()).value_or(SourceRange());
  if (!range.empty()) range.begin -= attribute.name_distance();
  while (range.begin > 0 && IsBlank(text[range.begin - 1])) --range.begin;
  if (range.begin > 0 && text[range.begin - 1] == ',') --range.begin;
  return range;
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
  const auto metadata = module.FindAttribute(id, hlo::AttributeName::kMetadata);
  return metadata.has_value() ? absl::StrCat(", metadata=", *metadata) : "";
}

std::string ShardingTail(string_view sharding) {
  return sharding.empty() ? "" : absl::StrCat(", sharding=", sharding);
}

}  // namespace tessera::pipeline::writers
