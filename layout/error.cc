#include "tessera/layout/error.h"

#include "absl/strings/cord.h"
#include "absl/types/optional.h"
#include "tessera/text/diagnostic.h"

namespace tessera::layout {
namespace {

constexpr absl::string_view kPayload = "tessera/layout/code";

}  // namespace

absl::Status MakeError(absl::string_view code, absl::string_view message) {
  absl::Status status =
      code == "kRange" ? absl::OutOfRangeError(message) : absl::InvalidArgumentError(message);
  status.SetPayload(kPayload, absl::Cord(code));
  return status;
}

absl::Status MakeErrorAt(size_t offset, absl::string_view code, absl::string_view message) {
  absl::Status status = text::ErrorAt(offset, message);
  status.SetPayload(kPayload, absl::Cord(code));
  return status;
}

std::string ErrorCode(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayload);
  return payload.has_value() ? std::string(*payload) : "";
}

}  // namespace tessera::layout
