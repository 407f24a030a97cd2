#include "tessera/sharding/text/metadata_text.h"

#include <array>
#include <cstdint>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/text/cursor.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {
namespace {

enum class FieldKind { kString, kNumber, kNumbers };

struct Field {
  absl::string_view name;
  FieldKind kind;
};

constexpr Field kFields[] = {
    {"op_type", FieldKind::kString},         {"op_name", FieldKind::kString},
    {"source_file", FieldKind::kString},     {"deduplicated_name", FieldKind::kString},
    {"scheduling_name", FieldKind::kString}, {"metadata_payload", FieldKind::kString},
    {"source_line", FieldKind::kNumber},     {"source_end_line", FieldKind::kNumber},
    {"source_column", FieldKind::kNumber},   {"source_end_column", FieldKind::kNumber},
    {"stack_frame_id", FieldKind::kNumber},  {"profile_type", FieldKind::kNumbers},
};

absl::Status ReadNumber(ShardingLexer& in) {
  const ShardingLexer before = in;
  TESSERA_ASSIGN_OR_RETURN(const int64_t number, in.ExpectInt("a number"));
  if (number == static_cast<int32_t>(number)) return absl::OkStatus();
  return before.Error("the number does not fit into 32 bits");
}

absl::Status ReadNumbers(ShardingLexer& in) {
  TESSERA_RETURN_IF_ERROR(in.Expect('{', "before a list of numbers"));
  if (in.Consume('}')) return absl::OkStatus();
  do {
    TESSERA_RETURN_IF_ERROR(ReadNumber(in));
  } while (in.Consume(','));
  return in.Expect('}', "or ',' after a number");
}

absl::Status ReadValue(ShardingLexer& in, FieldKind kind) {
  if (kind == FieldKind::kNumber) return ReadNumber(in);
  if (kind == FieldKind::kNumbers) return ReadNumbers(in);
  return in.ExpectString("a text").status();
}

// `{op_name="x" source_line=3}`: fields with blanks or one comma between, each at most once.
absl::Status ReadEntry(ShardingLexer& in) {
  std::array<bool, std::size(kFields)> seen{};
  TESSERA_RETURN_IF_ERROR(in.Expect('{', "before a metadata entry"));
  bool comma = in.Consume(',');
  while (comma || !in.Is('}')) {
    size_t field = 0;
    while (field < seen.size() && (seen[field] || !in.ConsumeAttribute(kFields[field].name))) {
      ++field;
    }
    if (field == seen.size()) {
      return in.Error("expected a field of metadata (op_name=, source_line=, ..), each once");
    }
    seen[field] = true;
    TESSERA_RETURN_IF_ERROR(ReadValue(in, kFields[field].kind));
    comma = in.Consume(',');
  }
  return in.Expect('}', "at the end of a metadata entry");
}

// Without comments, which may stand between all tokens, and the ends of their lines. The text has
// been read.
std::string WithoutComments(absl::string_view text) {
  const auto ends_token = [](char c) { return absl::StrContains(" \t\n{},=", c); };
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (const size_t comment = text::CommentSize(text.substr(at)); comment > 0) {
      const bool is_line = text[at + 1] == '/';
      at += comment + (is_line ? 1 : 0);
      if (!ends_token(out.back()) && !ends_token(text[at])) out += ' ';
      continue;
    }
    size_t end = at + 1;
    if (text[at] == '"') {
      while (text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      ++end;
    }
    absl::StrAppend(&out, text.substr(at, end - at));
    at = end;
  }
  return out;
}

}  // namespace

absl::Status ParseMetadata(ShardingLexer& in, std::vector<std::string>& entries) {
  const bool list = in.Is('{') && in.Ahead().Is('{');
  if (list) in.Next();
  do {
    const size_t begin = in.offset();
    TESSERA_RETURN_IF_ERROR(ReadEntry(in));
    entries.push_back(WithoutComments(in.TextSince(begin)));
  } while (list && in.Consume(','));
  return list ? in.Expect('}', "or ',' after a metadata entry") : absl::OkStatus();
}

Reduction ReductionOfMetadata(const std::vector<std::string>& entries) {
  for (const std::string& entry : entries) {
    if (!absl::StrContains(entry, "op_type=\"sdy::reduction_op\"")) continue;
    if (absl::StrContains(entry, "op_name=\"MAX\"")) return Reduction::kMax;
    if (absl::StrContains(entry, "op_name=\"MIN\"")) return Reduction::kMin;
  }
  return Reduction::kSum;
}

}  // namespace tessera::sharding
