// File: projection/signature/projection_json.h
//
// Projections as JSON, in the form of projection.proto.
//
//   ToJson(p)    // {"affineMap":{"projection":[[1,0],[0,1]],"offset":[10,20]},"shape":[4,4]}
//   absl::StatusOr<ZProjection> p = ProjectionFromJson(text);
//
// What is not default is written behind the first two keys. Marks are not kept.
#ifndef TESSERA_PROJECTION_SIGNATURE_PROJECTION_JSON_H_
#define TESSERA_PROJECTION_SIGNATURE_PROJECTION_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/projection/map/projection.h"

namespace tessera::projection {

std::string ToJson(const ZProjection& p);

// kParse for what is no JSON of this form (a matrix of numbers that are not whole, or not below
// 2^53 in size, among it), and the errors of ZProjection::Create.
absl::StatusOr<ZProjection> ProjectionFromJson(absl::string_view json);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_SIGNATURE_PROJECTION_JSON_H_
