// Boxes as text and as JSON, and back.
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/core/range.h"

namespace tessera::projection {
namespace {

// "1, 2" to a point; blanks around numbers are fine, "" is the empty point.
bool ParseNumbers(absl::string_view text, ZPoint* out) {
  text = absl::StripAsciiWhitespace(text);
  if (text.empty()) return true;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    int64_t value;
    if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(part), &value)) return false;
    out->push_back(value);
  }
  return true;
}

// Takes `"key" : [ ... ]` off the front of `*text`.
bool ConsumeJsonList(absl::string_view* text, absl::string_view key, ZPoint* out) {
  *text = absl::StripLeadingAsciiWhitespace(*text);
  if (!absl::ConsumePrefix(text, absl::StrCat("\"", key, "\""))) return false;
  *text = absl::StripLeadingAsciiWhitespace(*text);
  if (!absl::ConsumePrefix(text, ":")) return false;
  *text = absl::StripLeadingAsciiWhitespace(*text);
  if (!absl::ConsumePrefix(text, "[")) return false;
  size_t close = text->find(']');
  if (close == absl::string_view::npos || !ParseNumbers(text->substr(0, close), out)) return false;
  text->remove_prefix(close + 1);
  *text = absl::StripLeadingAsciiWhitespace(*text);
  return true;
}

bool ParseJson(absl::string_view text, ZPoint* start, ZPoint* end) {
  return absl::ConsumePrefix(&text, "{") && ConsumeJsonList(&text, "start", start) &&
         absl::ConsumePrefix(&text, ",") && ConsumeJsonList(&text, "end", end) && text == "}";
}

bool ParseBrackets(absl::string_view text, ZPoint* start, ZPoint* end) {
  if (!absl::ConsumePrefix(&text, "zr[") || !absl::ConsumeSuffix(&text, "]")) return false;
  text = absl::StripAsciiWhitespace(text);
  if (text.empty()) return true;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    std::vector<absl::string_view> ends = absl::StrSplit(part, ':');
    int64_t low, high;
    if (ends.size() != 2 || !absl::SimpleAtoi(absl::StripAsciiWhitespace(ends[0]), &low) ||
        !absl::SimpleAtoi(absl::StripAsciiWhitespace(ends[1]), &high)) {
      return false;
    }
    start->push_back(low);
    end->push_back(high);
  }
  return true;
}

}  // namespace

absl::StatusOr<ZRange> ZRange::Parse(absl::string_view text) {
  ZPoint start, end;
  absl::string_view trimmed = absl::StripAsciiWhitespace(text);
  bool json = !trimmed.empty() && trimmed[0] == '{';
  if (json ? ParseJson(trimmed, &start, &end) : ParseBrackets(trimmed, &start, &end)) {
    return Create(std::move(start), std::move(end));
  }
  return MakeError(ErrorCode::kParse, absl::StrCat("bad range: \"", text, "\""));
}

std::string ZRange::ToString() const {
  std::vector<std::string> parts;
  for (int i = 0; i < rank(); ++i) parts.push_back(absl::StrCat(start_[i], ":", end_[i]));
  return absl::StrCat("zr[", absl::StrJoin(parts, ", "), "]");
}

std::string ZRange::ToJson() const {
  return absl::StrCat("{\"start\":", start_.ToJson(), ",\"end\":", end_.ToJson(), "}");
}

std::string ShapeText(const ZPoint& shape) {
  return absl::StrCat("\u2016", absl::StrJoin(absl::Span<const int64_t>(shape), ", "), "\u2016");
}

}  // namespace tessera::projection
