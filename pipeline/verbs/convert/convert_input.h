// The input of `tessera convert`: a sharding in one of its forms.
//
//   absl::StatusOr<ConvertInput> input = ReadConvertInput(arguments);

#ifndef TESSERA_PIPELINE_VERBS_CONVERT_CONVERT_INPUT_H_
#define TESSERA_PIPELINE_VERBS_CONVERT_CONVERT_INPUT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/sharding/hlo_sharding.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::pipeline {

// An HLO sharding, or axes of a mesh, from which the HLO forms follow.
struct ConvertInput {
  sharding::HloSharding hlo;
  sharding::MeshTable meshes;
  std::optional<sharding::TensorSharding> axes;
  std::vector<int64_t> shape;  // empty when it was not given
};

// InvalidArgument with a caret below the mistake in the text.
absl::StatusOr<ConvertInput> ReadConvertInput(const Arguments& arguments);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_CONVERT_CONVERT_INPUT_H_
