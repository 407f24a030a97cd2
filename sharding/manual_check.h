// Checks that a manual computation (JAX's shard_map) is valid.
//
// A manual computation sees the values along its manual axes as one device does. A global value of
// [16, 8], sharded [{"x"}, {}] with x=4 manual, is a local one of [4, 8] in its body.

#ifndef TESSERA_SHARDING_MANUAL_CHECK_H_
#define TESSERA_SHARDING_MANUAL_CHECK_H_

#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/sdy_resolve.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding {

// The operands or the results: their shardings, their types outside and inside.
struct ManualBoundary {
  absl::Span<const TensorSharding> shardings;
  absl::Span<const ValueType> global_types;
  absl::Span<const ValueType> local_types;
};

// InvalidArgument for the first fault, operands before results. First come shardings that do not
// fit their types, counts that differ and a free axis in front of a manual one. Then dimensions
// that the manual axes do not divide, and local shapes that do not follow. Last come shardings on
// several meshes (the empty mesh goes with all), and manual axes that the mesh lacks or that
// `outer_manual_axes` bind already. Element types are the caller's to compare.
absl::Status VerifyManualComputation(const ManualBoundary& operands, const ManualBoundary& results,
                                     absl::Span<const std::string> manual_axes,
                                     absl::Span<const std::string> outer_manual_axes,
                                     const MeshTable& meshes);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_MANUAL_CHECK_H_
