#include "tessera/projection/signature/json_value.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

constexpr int kDeepest = 64;

class Reader {
 public:
  explicit Reader(absl::string_view text) : text_(text) {}

  absl::StatusOr<JsonValue> All() {
    TESSERA_ASSIGN_OR_RETURN(JsonValue value, Value(0));
    if (Peek() != '\0') return Bad("text after the value");
    return value;
  }

 private:
  absl::Status Bad(absl::string_view what) const {
    return MakeError(ErrorCode::kParse, absl::StrCat("JSON at ", at_, ": ", what));
  }
  char Peek() {
    while (at_ < text_.size() && absl::ascii_isspace(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool Take(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }

  absl::StatusOr<JsonValue> Value(int depth) {
    if (depth > kDeepest) return Bad("nested too deeply");
    const char c = Peek();
    if (c == '{') return Object(depth);
    if (c == '[') return List(depth);
    if (c == '"') return String();
    return Number();
  }

  absl::StatusOr<JsonValue> Number() {
    const size_t start = at_;
    while (at_ < text_.size() && (absl::ascii_isalnum(text_[at_]) || text_[at_] == '-' ||
                                  text_[at_] == '+' || text_[at_] == '.'))
      ++at_;
    JsonValue value;
    value.kind = JsonValue::Kind::kInt;
    if (!absl::SimpleAtoi(text_.substr(start, at_ - start), &value.number))
      return Bad("expected a whole number of 64 bits");
    return value;
  }

  // Names and words; nothing in them needs an escape.
  absl::StatusOr<JsonValue> String() {
    const size_t end = text_.find('"', at_ + 1);
    if (end == absl::string_view::npos) return Bad("a string without end");
    JsonValue value;
    value.kind = JsonValue::Kind::kString;
    value.string = std::string(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    if (value.string.find('\\') != std::string::npos) return Bad("an escape in a string");
    return value;
  }

  absl::StatusOr<JsonValue> List(int depth) {
    JsonValue value;
    Take('[');
    if (Take(']')) return value;
    do {
      TESSERA_ASSIGN_OR_RETURN(JsonValue element, Value(depth + 1));
      value.list.push_back(std::move(element));
    } while (Take(','));
    if (!Take(']')) return Bad("expected , or ]");
    return value;
  }

  absl::StatusOr<JsonValue> Object(int depth) {
    JsonValue value;
    value.kind = JsonValue::Kind::kObject;
    Take('{');
    if (Take('}')) return value;
    do {
      if (Peek() != '"') return Bad("expected a key");
      TESSERA_ASSIGN_OR_RETURN(JsonValue key, String());
      if (!Take(':')) return Bad("expected :");
      TESSERA_ASSIGN_OR_RETURN(JsonValue member, Value(depth + 1));
      value.members.emplace_back(std::move(key.string), std::move(member));
    } while (Take(','));
    if (!Take('}')) return Bad("expected , or }");
    return value;
  }

  absl::string_view text_;
  size_t at_ = 0;
};

}  // namespace

const JsonValue* JsonValue::Find(absl::string_view key) const {
  for (const auto& [name, value] : members) {
    if (name == key) return &value;
  }
  return nullptr;
}

absl::StatusOr<ZPoint> JsonValue::Ints() const {
  ZPoint out;
  if (kind != Kind::kList) return MakeError(ErrorCode::kParse, "expected a list of numbers");
  for (const JsonValue& element : list) {
    if (element.kind != Kind::kInt)
      return MakeError(ErrorCode::kParse, "expected a list of numbers");
    out.push_back(element.number);
  }
  return out;
}

absl::StatusOr<JsonValue> ParseJson(absl::string_view text) { return Reader(text).All(); }

}  // namespace tessera::projection
