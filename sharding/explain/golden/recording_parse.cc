// The reader of golden files: line by line, each line with its own mistakes, so that one look shows
// them all.
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tessera/layout/shape_text.h"
#include "tessera/sharding/explain/golden/recording_text.h"
#include "tessera/sharding/pspec.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/text/cursor.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::golden {
namespace {

constexpr absl::string_view kForm =
    "expected NAME: SHAPE SHARDING = OPCODE(OPERANDS), op_name=\"..\", source=\"..\"";

// Up to the first byte of `ends` that stands in no quotes. Nothing is skipped in front.
absl::string_view TakeUntil(text::Cursor& in, absl::string_view end) {
  const absl::string_view rest = in.rest();
  char quote = '\0';
  size_t at = 0;
  for (; at < rest.size(); ++at) {
    const char c = rest[at];
    if (quote == '\0' && rest.substr(at, end.size()) == end) break;
    if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (quote != '\0' && c == '\\') {
      ++at;
    } else if (c == quote) {
      quote = '\0';
    }
  }
  at = std::min(at, rest.size());
  in.set_offset(in.offset() + at);
  return rest.substr(0, at);
}

// An entry's name or opcode: what stands before blanks, commas and round brackets.
absl::string_view TakeWord(text::Cursor& in) {
  in.SkipBlanks();
  const absl::string_view rest = in.rest();
  const size_t size = std::min(rest.find_first_of(" ,():"), rest.size());
  in.set_offset(in.offset() + size);
  return rest.substr(0, size);
}

class Reader {
 public:
  explicit Reader(const text::Source& source) : source_(source) {}

  absl::StatusOr<Recording> Read() {
    size_t begin = 0;
    while (begin < source_.text().size() && !stop_) {
      const size_t end = std::min(source_.text().find('\n', begin), source_.text().size());
      absl::string_view line = source_.text().substr(begin, end - begin);
      absl::ConsumeSuffix(&line, "\r");
      const absl::Status status = ReadLine(line, begin);
      if (!status.ok()) found_.Add(text::ToDiagnostic(text::Rebase(status, begin)));
      begin = end + 1;
    }
    if (!seen_format_ && found_.ok()) found_.Error(0, "expected 'tessera golden 1': an empty file");
    TESSERA_RETURN_IF_ERROR(found_.ToStatus(source_));
    LinkOperands(&recording_);
    return std::move(recording_);
  }

 private:
  absl::Status ReadLine(absl::string_view line, size_t begin) {
    text::Cursor in(line);
    if (in.AtEnd() || in.Peek() == '#') return absl::OkStatus();
    if (!seen_format_) return ReadFormat(in);
    if (in.Consume("reference ")) return ReadReference(in, begin);
    if (in.Consume("mesh @")) return ReadMesh(in, begin);
    return ReadEntry(in);
  }

  absl::Status ReadFormat(text::Cursor& in) {
    stop_ = seen_format_ = true;
    int64_t version = 0;
    if (!in.Consume("tessera golden ") || !in.ConsumeInt(version) || !in.AtEnd()) {
      return in.ErrorAt(
          0, absl::StrCat("this is not a golden file: its first line is 'tessera golden ",
                          kFormatVersion, "'; `tessera check --update` writes one"));
    }
    if (version != kFormatVersion) {
      return in.ErrorAt(0,
                        absl::StrCat("a golden file of format ", version, "; this tessera reads ",
                                     kFormatVersion, ": write it anew with --update"));
    }
    stop_ = false;
    return absl::OkStatus();
  }

  absl::Status ReadReference(text::Cursor& in, size_t begin) {
    if (!recording_.reference.empty()) return in.ErrorAt(0, "the reference is said twice");
    recording_.reference = std::string(absl::StripAsciiWhitespace(in.rest()));
    recording_.reference_offset = begin;
    return absl::OkStatus();
  }

  absl::Status ReadMesh(text::Cursor& in, size_t begin) {
    if (!recording_.entries.empty()) return in.ErrorAt(0, "meshes stand before the tensors");
    const std::string name(TakeWord(in));
    in.SkipBlanks();
    const size_t at = in.offset();
    auto mesh = ParseMesh(in.rest());
    if (!mesh.ok()) return text::Rebase(mesh.status(), at);
    if (recording_.meshes.size() == 0) recording_.mesh_offset = begin;
    const auto id = recording_.meshes.Add(name, *std::move(mesh));
    if (!id.ok()) return in.ErrorAt(0, absl::StrCat("a second mesh @", name));
    return absl::OkStatus();
  }

  absl::Status ReadEntry(text::Cursor& in) {
    Entry entry;
    in.SkipBlanks();
    entry.name = std::string(TakeUntil(in, ": "));
    if (entry.name.empty() || !in.Consume(':')) return in.ErrorAt(0, kForm);
    in.SkipBlanks();
    const size_t shape_at = in.offset();
    const auto shape = layout::ParseShape(TakeUntil(in, " "));
    if (!shape.ok()) return text::Rebase(shape.status(), shape_at);
    if (!shape->is_array()) return in.ErrorAt(shape_at, "expected the shape of an array");
    entry.shape = shape->WithoutLayout();
    TESSERA_RETURN_IF_ERROR(ReadSharding(in, &entry));
    if (!in.Consume('=')) return in.Error(absl::StrCat("expected '=': ", kForm));
    entry.opcode = std::string(TakeWord(in));
    if (entry.opcode.empty()) return in.Error("expected an opcode");
    TESSERA_RETURN_IF_ERROR(ReadOperands(in, &entry));
    TESSERA_RETURN_IF_ERROR(ReadText(in, "op_name=", &entry.op_name));
    TESSERA_RETURN_IF_ERROR(ReadText(in, "source=", &entry.source));
    if (!in.AtEnd()) return in.Error(absl::StrCat("unexpected text; ", kForm));
    recording_.entries.push_back(std::move(entry));
    return absl::OkStatus();
  }

  absl::Status ReadSharding(text::Cursor& in, Entry* entry) {
    in.SkipBlanks();
    const size_t at = in.offset();
    const absl::string_view text = TakeUntil(in, " = ");
    if (text == "none") return absl::OkStatus();
    auto sharding = ParseSpec(text, entry->shape);
    if (!sharding.ok()) return text::Rebase(sharding.status(), at);
    entry->sharding = *std::move(sharding);
    return absl::OkStatus();
  }

  absl::StatusOr<TensorSharding> ParseSpec(absl::string_view text, const layout::Shape& shape) {
    const int rank = static_cast<int>(shape.rank());
    if (absl::StartsWith(text, kDevice)) return ParseDevice(text, rank);
    if (absl::StartsWith(text, "<")) {
      TESSERA_ASSIGN_OR_RETURN(TensorSharding sharding, ParseSharding(text, recording_.meshes));
      if (sharding.rank() == rank) return sharding;
      return text::ErrorAt(
          0, absl::StrCat("a sharding of ", sharding.rank(), " dimensions for an array of ", rank));
    }
    TESSERA_ASSIGN_OR_RETURN(const PartitionSpec spec, ParsePartitionSpec(text));
    const bool has_mesh = recording_.meshes.size() > 0 && !recording_.meshes.is_inlined(0);
    return spec.Resolve(has_mesh ? 0 : kNoMesh, has_mesh ? recording_.meshes.mesh(0) : Mesh(),
                        rank);
  }

  absl::StatusOr<TensorSharding> ParseDevice(absl::string_view text, int rank) {
    int64_t device = 0;
    if (!absl::SimpleAtoi(absl::StripPrefix(text, kDevice), &device) || device < 0) {
      return text::ErrorAt(0, "expected the number of a device: device 3");
    }
    return TensorSharding(recording_.meshes.AddInlined(Mesh::Maximal(device)), rank);
  }

  static absl::Status ReadOperands(text::Cursor& in, Entry* entry) {
    if (!in.Consume('(')) return absl::OkStatus();
    do {
      const absl::string_view name = TakeWord(in);
      if (name.empty()) return in.Error("expected the name of an operand");
      entry->operand_names.emplace_back(name);
    } while (in.Consume(','));
    return in.Consume(')') ? absl::OkStatus() : in.Error("expected ')' or ',' after an operand");
  }

  // `, KEY"text"`, if it is there.
  static absl::Status ReadText(text::Cursor& in, absl::string_view key, std::string* value) {
    const size_t before = in.offset();
    if (!in.Consume(',') || !in.Consume(key)) {
      in.set_offset(before);
      return absl::OkStatus();
    }
    absl::string_view body;
    std::string mistake;
    if (!in.ConsumeQuoted(body)) return in.Error("expected a text in double quotes");
    if (!absl::CUnescape(body, value, &mistake)) return in.ErrorAt(before, mistake);
    return absl::OkStatus();
  }

  const text::Source& source_;
  text::Diagnostics found_;
  Recording recording_;
  bool seen_format_ = false;
  bool stop_ = false;  // the rest means nothing
};

}  // namespace

absl::StatusOr<Recording> ParseRecording(const text::Source& source) {
  return Reader(source).Read();
}

bool IsRecording(const text::Source& source) {
  for (absl::string_view line : absl::StrSplit(source.text(), '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (!line.empty() && line.front() != '#') return absl::StartsWith(line, "tessera golden ");
  }
  return false;
}

}  // namespace tessera::sharding::golden
