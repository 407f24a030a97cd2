// Shardings in a short form for tables of tests:
//
//   const Mesh mesh = *Mesh::Create({{"a", 2}, {"b", 4}});
//   absl::StatusOr<TensorSharding> s = ParseShort("[{a,b:(1)2,?},{}p1] repl{b:(2)2}", 0, mesh);
//   ToShort(*s, mesh);   // the same text
//
// Axes are as in sharding/axis_text.h. `?`: open. `p1`: priority. ` repl{..}`: replicated axes.
// ` unred{..}`: unreduced axes.

#ifndef TESSERA_TESTING_PROPAGATION_SHORT_SHARDING_H_
#define TESSERA_TESTING_PROPAGATION_SHORT_SHARDING_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::propagation {

// InvalidArgument for anything that is not of this form, unknown axes included.
absl::StatusOr<TensorSharding> ParseShort(absl::string_view text, MeshId mesh_id, const Mesh& mesh);

std::string ToShort(const TensorSharding& sharding, const Mesh& mesh);

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_TESTING_PROPAGATION_SHORT_SHARDING_H_
