#include "tessera/text/error_place.h"

#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace tessera::text {

std::optional<ErrorPlace> FindErrorPlace(const absl::Status& status) {
  // As diagnostic.cc writes it.
  const auto payload = status.GetPayload("tessera/place");
  if (!payload.has_value()) return std::nullopt;
  const std::string packed(*payload);
  const std::vector<absl::string_view> parts = absl::StrSplit(packed, absl::MaxSplits('\0', 4));
  ErrorPlace place;
  if (parts.size() != 5 || !absl::SimpleAtoi(parts[0], &place.line) ||
      !absl::SimpleAtoi(parts[1], &place.column)) {
    return std::nullopt;
  }
  place.file = std::string(parts[2]);
  place.message = std::string(parts[3]);
  place.excerpt = std::string(parts[4]);
  return place;
}

}  // namespace tessera::text
