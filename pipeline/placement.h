// Where the arrays of a module lie: the shardings that `shard` computes, asked for one at a time.
//
//   absl::StatusOr<Placement> placement = Placement::Create(module, options);
//   const sharding::TensorSharding* s = placement->Of("dot.3", 0);    // null: whole on every
//   device projection::DeviceGrid grid(*placement->mesh());
//
// A module whose only shardings are `sharding={...}` attributes, and that names no mesh, is read by
// these (--import=hlo), since there is nothing else to go by.

#ifndef TESSERA_PIPELINE_PLACEMENT_H_
#define TESSERA_PIPELINE_PLACEMENT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/pipeline/shard.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::pipeline {

class Placement {
 public:
  // Errors as of Propagate().
  static absl::StatusOr<Placement> Create(const hlo::Module& module, const ShardOptions& options);

  // Of array `leaf` of an instruction's result, in the axes of mesh(). Instructions go by name, for
  // the propagated module may be a cleaned one.
  const sharding::TensorSharding* Of(absl::string_view name, int leaf) const;
  // Null where there is none: everything is whole everywhere.
  const sharding::Mesh* mesh() const;

 private:
  std::unique_ptr<Sharded> sharded_;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_PLACEMENT_H_
