// From names to indices, with every check that makes a sharding valid.
//
//   absl::StatusOr<ShardingText> text = ParseShardingText("<@mesh, [{\"z\"}, {}]>");
//   ResolveSharding(*text, meshes);    // error at offset 9: the mesh has no axis "z"; it has ..
//
// The first fault wins, in this order. The mesh is known; a maximal mesh has nothing beside it; the
// rank fits the type. A dimension has no priority on `{}`, known axes, none twice, and consecutive
// sub-axes merged. The replicated and unreduced lists are sorted in mesh order, and their axes are
// checked likewise. No axis is both whole and in parts; parts are well formed and do not overlap.

#ifndef TESSERA_SHARDING_SDY_RESOLVE_H_
#define TESSERA_SHARDING_SDY_RESOLVE_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding {

// The data on the type of a value that a verifier needs.
struct ValueType {
  enum class Kind { kArray, kToken, kTuple };
  Kind kind = Kind::kArray;
  absl::Span<const int64_t> dimensions;  // of an array; negative: dynamic
  int tuple_size = 0;                    // of a tuple; one of size 1 counts as its element
};

// The sharding with the axes of its mesh. An inlined mesh is added to `meshes`. With `type` null
// everything is checked but what needs a type.
absl::StatusOr<TensorSharding> ResolveSharding(const ShardingText& text, MeshTable& meshes,
                                               const ValueType* type = nullptr);

// The same checks on a sharding that is there already.
absl::Status VerifySharding(const TensorSharding& sharding, const MeshTable& meshes,
                            const ValueType* type = nullptr);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_SDY_RESOLVE_H_
