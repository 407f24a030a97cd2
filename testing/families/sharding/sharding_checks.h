// The checkers after sharding_families.h, one for each kind of case.

#ifndef TESSERA_TESTING_FAMILIES_SHARDING_SHARDING_CHECKS_H_
#define TESSERA_TESTING_FAMILIES_SHARDING_SHARDING_CHECKS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/testing/families/family.h"

namespace tessera::testing {

// A case that expects either the text `out` or an error (with its place `at`, if that is given).
Outcome ExpectTextOrError(const nlohmann::json& c, const absl::StatusOr<std::string>& actual);

// Texts (sharding_text_checks.cc).
Outcome CheckHloText(const nlohmann::json& c);
Outcome CheckNamedText(const nlohmann::json& c);
Outcome CheckSdyText(const nlohmann::json& c);
Outcome CheckPartitionSpec(const nlohmann::json& c);
Outcome CheckFrontend(const nlohmann::json& c);

// Axes and values (sharding_value_checks.cc).
Outcome CheckAxesToTiles(const nlohmann::json& c);
Outcome CheckTilesToAxes(const nlohmann::json& c);
Outcome CheckBoundary(const nlohmann::json& c);
Outcome CheckEqual(const nlohmann::json& c);
Outcome CheckGeometry(const nlohmann::json& c);
Outcome CheckMeshMerge(const nlohmann::json& c);
Outcome CheckVerify(const nlohmann::json& c);

// Operations on references (sharding_axis_checks.cc).
Outcome CheckAxisOperation(const nlohmann::json& c);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_FAMILIES_SHARDING_SHARDING_CHECKS_H_
