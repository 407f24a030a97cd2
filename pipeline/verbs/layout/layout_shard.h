// The shard of an array on one device.
//
//   ShardOf(*ParseShape("f32[10,16]{1,0:T(8,128)}"), "P('x')", "x=4");   // f32[3,16]{1,0:T(8,128)}
//
// `sharding` is one of HLO ("{devices=[4,1]<=[4]}"), or P(..) on the mesh of that text. All devices
// hold as much as the fullest one; the layout stays. Errors show where in which text.

#ifndef TESSERA_PIPELINE_VERBS_LAYOUT_LAYOUT_SHARD_H_
#define TESSERA_PIPELINE_VERBS_LAYOUT_LAYOUT_SHARD_H_

#include <string>

#include "absl/status/statusor.h"
#include "tessera/layout/shape.h"

namespace tessera::pipeline {

absl::StatusOr<layout::Shape> ShardOf(const layout::Shape& shape, const std::string& sharding,
                                      const std::string& mesh);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_LAYOUT_LAYOUT_SHARD_H_
