#include "tessera/text/formats/json.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tessera/text/formats/utf8.h"

namespace tessera::text {
namespace {

constexpr char kReplacement[] = "\xEF\xBF\xBD";  // U+FFFD

std::string EscapeOne(char c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    default:
      return absl::StrFormat("\\u%04x", static_cast<unsigned char>(c));
  }
}

bool IsPlain(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

// How many characters stand as they are; most texts have no others.
size_t PlainPrefix(absl::string_view text) {
  size_t k = 0;
  while (k < text.size() && IsPlain(text[k])) ++k;
  return k;
}

}  // namespace

std::string JsonQuote(absl::string_view text) {
  std::string quoted = "\"";
  while (true) {
    const size_t plain = PlainPrefix(text);
    quoted.append(text.data(), plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Utf8Piece piece = FirstPiece(text);
    const unsigned char first = static_cast<unsigned char>(text[0]);
    if (!piece.is_character) {
      quoted.append(kReplacement);
    } else if (first < 0x20 || first == '"' || first == '\\') {
      quoted.append(EscapeOne(text[0]));
    } else {
      quoted.append(text.data(), piece.size);
    }
    text.remove_prefix(piece.size);
  }
  quoted.push_back('"');
  return quoted;
}

JsonWriter& JsonWriter::Open(char bracket) {
  Value(absl::string_view(&bracket, 1));
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::Close(char bracket) {
  text_.push_back(bracket);
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::Value(absl::string_view value) {
  absl::StrAppend(&text_, comma_ ? "," : "", value);
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::RawKey(absl::string_view quoted) {
  Value(quoted);
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::Key(absl::string_view name) {
  return RawKey(absl::StrCat(JsonQuote(name), ":"));
}

JsonWriter& JsonWriter::String(absl::string_view value) { return Value(JsonQuote(value)); }

JsonWriter& JsonWriter::Int(int64_t value) { return Value(absl::StrCat(value)); }

JsonWriter& JsonWriter::Double(double value) {
  return std::isfinite(value) ? Value(absl::StrFormat("%.17g", value)) : Null();
}

JsonWriter& JsonWriter::Bool(bool value) { return Value(value ? "true" : "false"); }

JsonWriter& JsonWriter::Null() { return Value("null"); }

JsonWriter& JsonWriter::Ints(absl::Span<const int64_t> values) {
  BeginArray();
  for (int64_t value : values) Int(value);
  return EndArray();
}

JsonWriter& JsonWriter::Strings(absl::Span<const std::string> values) {
  BeginArray();
  for (const std::string& value : values) String(value);
  return EndArray();
}

JsonWriter& JsonWriter::TextUnlessEmpty(absl::string_view key, absl::string_view value) {
  return value.empty() ? *this : Key(key).String(value);
}

}  // namespace tessera::text
