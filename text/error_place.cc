#include "tessera/text/error_place.h"

#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace tessera::text {
namespace {

constexpr absl::string_view kPayload = "tessera/place";
constexpr char kEnd = '\0';  // of a part; the last one may hold any byte
constexpr int kParts = 5;

}  // namespace

void SetErrorPlace(const ErrorPlace& place, absl::Status* status) {
  const absl::string_view end(&kEnd, 1);
  status->SetPayload(kPayload, absl::Cord(absl::StrCat(
                                   absl::StrCat(place.line, end, place.column, end, place.file),
                                   end, place.message, end, place.excerpt)));
}

std::optional<ErrorPlace> FindErrorPlace(const absl::Status& status) {
  const auto payload = status.GetPayload(kPayload);
  if (!payload.has_value()) return std::nullopt;
  const std::string packed(*payload);
  const std::vector<absl::string_view> parts =
      absl::StrSplit(packed, absl::MaxSplits(kEnd, kParts - 1));
  ErrorPlace place;
  if (parts.size() != kParts || !absl::SimpleAtoi(parts[0], &place.line) ||
      !absl::SimpleAtoi(parts[1], &place.column)) {
    return std::nullopt;
  }
  place.file = std::string(parts[2]);
  place.message = std::string(parts[3]);
  place.excerpt = std::string(parts[4]);
  return place;
}

}  // namespace tessera::text
