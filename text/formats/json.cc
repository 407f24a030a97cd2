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

// The first character of `text`, which is not plain; returns its size.
size_t AppendOne(absl::string_view text, std::string* to) {
  const Utf8Piece piece = FirstPiece(text);
  const unsigned char first = static_cast<unsigned char>(text[0]);
  if (!piece.is_character) {
    to->append(kReplacement);
  } else if (first < 0x20 || first == '"' || first == '\\') {
    to->append(EscapeOne(text[0]));
  } else {
    to->append(text.data(), piece.size);
  }
  return piece.size;
}

void AppendQuoted(absl::string_view text, std::string* to) {
  to->push_back('"');
  while (true) {
    const size_t plain = PlainPrefix(text);
    to->append(text.data(), plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    text.remove_prefix(AppendOne(text, to));
  }
  to->push_back('"');
}

}  // namespace

std::string JsonQuote(absl::string_view text) {
  std::string quoted;
  AppendQuoted(text, &quoted);
  return quoted;
}

JsonWriter& JsonWriter::Open(char bracket) {
  Next().push_back(bracket);
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::Close(char bracket) {
  text_.push_back(bracket);
  comma_ = true;
  return *this;
}

std::string& JsonWriter::Next() {
  if (comma_) text_.push_back(',');
  comma_ = true;
  return text_;
}

JsonWriter& JsonWriter::Value(absl::string_view value) {
  Next().append(value.data(), value.size());
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

JsonWriter& JsonWriter::String(absl::string_view value) {
  AppendQuoted(value, &Next());
  return *this;
}

JsonWriter& JsonWriter::Int(int64_t value) {
  absl::StrAppend(&Next(), value);
  return *this;
}

JsonWriter& JsonWriter::Double(double value) {
  return std::isfinite(value) ? Value(absl::StrFormat("%.17g", value)) : Null();
}

JsonWriter& JsonWriter::Bool(bool value) { return Value(value ? "true" : "false"); }

JsonWriter& JsonWriter::Null() { return Value("null"); }

}  // namespace tessera::text
