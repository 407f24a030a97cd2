// The short text of a mesh on a command line: `data=4,model=2`.

#ifndef TESSERA_SHARDING_MESH_SIZES_H_
#define TESSERA_SHARDING_MESH_SIZES_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/sharding/mesh.h"

namespace tessera::sharding {

// A mesh with the plain device order. Names may stand in quotes, and must if they have '=', ',' or
// blanks at an end. InvalidArgument with an offset in the text.
absl::StatusOr<Mesh> ParseMeshSizes(absl::string_view text);

// `data=4,model=2`; names that are no words in quotes.
std::string PrintMeshSizes(absl::Span<const MeshAxis> axes);
inline std::string PrintMeshSizes(const Mesh& mesh) { return PrintMeshSizes(mesh.axes()); }

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_MESH_SIZES_H_
