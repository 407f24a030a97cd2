// Where the arrays of a module lie: the shardings that `shard` writes, one array at a time.
//
//   absl::StatusOr<ShardingLookup> placement = ShardingLookup::Create(module, options);
//   const hlo::InstructionId dot = placement->module().FindInstruction("dot.3");
//   const sharding::TensorSharding* s = placement->Of(dot, 0);        // null: on every device
//   sharding::DeviceGrid grid(*placement->mesh(), placement->meshes());
//
// The text that `shard` makes is read again, so that an array lies where the module says it does:
// after loops, calls and branches, after the cuts at the borders. Instructions go by their names
// in that text; in a module that was lowered with calls these are gone, and what they called stands
// in their place.
//
// A module whose only shardings are `sharding={...}` attributes, and that names no mesh, is read by
// these (--import=hlo), since there is nothing else to go by.

#ifndef TESSERA_PIPELINE_ANSWER_SHARDING_LOOKUP_H_
#define TESSERA_PIPELINE_ANSWER_SHARDING_LOOKUP_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/shard.h"
#include "tessera/sharding/hlo_sharding.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::pipeline {

class ShardingLookup {
 public:
  // Errors as of ShardModule().
  static absl::StatusOr<ShardingLookup> Create(const hlo::Module& module,
                                               const ShardOptions& options);

  // The module with its shardings.
  const hlo::Module& module() const { return module_; }

  // Of array `leaf` of the result of an instruction of module(), in the axes of mesh(), or on a
  // mesh of one device among meshes().
  const sharding::TensorSharding* Of(hlo::InstructionId id, int leaf) const;
  // Null where there is none: everything is whole everywhere.
  const sharding::Mesh* mesh() const { return mesh_.has_value() ? &*mesh_ : nullptr; }
  const sharding::MeshTable& meshes() const { return meshes_; }

 private:
  using Leaves = std::vector<sharding::TensorSharding>;  // on no mesh where nothing is cut

  static absl::StatusOr<ShardingLookup> Read(const hlo::Module& module,
                                             const ShardOptions& options);
  absl::Status ReadText(absl::string_view text);
  absl::Status AddLeaf(const sharding::HloSharding& leaf, Leaves* leaves);

  hlo::Module module_;
  sharding::MeshTable meshes_;  // that of mesh(), and those of single devices
  std::optional<sharding::Mesh> mesh_;
  absl::flat_hash_map<std::string, Leaves> leaves_;  // by the text of the attribute
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_ANSWER_SHARDING_LOOKUP_H_
