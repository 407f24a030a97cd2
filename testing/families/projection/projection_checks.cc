#include "tessera/testing/families/projection/projection_checks.h"

#include "tessera/projection/core/error.h"

namespace tessera::testing {

Outcome CheckByKind(absl::Span<const KindRow> rows, const nlohmann::json& c) {
  for (const KindRow& row : rows) {
    if (c.at("kind") == row.kind) return row.check(c);
  }
  return Failed("no such kind of case");
}

Outcome ExpectError(const absl::Status& status, const std::string& code) {
  const auto got = projection::ErrorCodeOf(status);
  const std::string name =
      got.has_value() ? std::string(projection::ErrorCodeName(*got)) : status.ToString();
  return Expect("error", name, code);
}

}  // namespace tessera::testing
