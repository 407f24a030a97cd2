// The checkers of the projection families, one a file, and what they share.
#ifndef TESSERA_TESTING_FAMILIES_PROJECTION_PROJECTION_CHECKS_H_
#define TESSERA_TESTING_FAMILIES_PROJECTION_PROJECTION_CHECKS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "tessera/testing/families/family.h"

namespace tessera::testing {

Outcome CheckProjectionAffine(const nlohmann::json& c);
Outcome CheckProjectionSets(const nlohmann::json& c);
Outcome CheckProjectionSignature(const nlohmann::json& c);
Outcome CheckProjectionHloCost(const nlohmann::json& c);
Outcome CheckProjectionCost(const nlohmann::json& c);
Outcome CheckProjectionComm(const nlohmann::json& c);

// One kind of case within a family.
struct KindRow {
  const char* kind;
  Outcome (*check)(const nlohmann::json& c);
};
Outcome CheckByKind(absl::Span<const KindRow> rows, const nlohmann::json& c);

// Passed when `status` carries the error code of that name.
Outcome ExpectError(const absl::Status& status, const std::string& code);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_FAMILIES_PROJECTION_PROJECTION_CHECKS_H_
