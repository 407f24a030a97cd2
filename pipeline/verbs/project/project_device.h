// `tessera project --device`: what a device holds and lacks under the shardings that `shard`
// writes.

#ifndef TESSERA_PIPELINE_VERBS_PROJECT_PROJECT_DEVICE_H_
#define TESSERA_PIPELINE_VERBS_PROJECT_PROJECT_DEVICE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/answer/sharding_lookup.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/verbs/project/project_parse.h"
#include "tessera/pipeline/verbs/project/project_regions.h"
#include "tessera/pipeline/verbs/project/project_request.h"
#include "tessera/projection/core/grid.h"
#include "tessera/sharding/device_tiles.h"

namespace tessera::pipeline {

// The module as `shard` writes it. InvalidArgument where it has no mesh.
absl::StatusOr<ShardingLookup> PlaceModule(const hlo::Module& module, const Arguments& arguments);

// NAME in that module, where calls are what they called.
absl::StatusOr<NamedArray> FindPlaced(const hlo::Module& module, const ShardingLookup& placement,
                                      const std::string& name);

// The tiles of the device of --device.
class DeviceTiles {
 public:
  static absl::StatusOr<DeviceTiles> Create(const ShardingLookup& placement,
                                            const Arguments& arguments);

  // Of an array without a sharding all of it.
  absl::StatusOr<projection::ZRange> Of(const projection::ZPoint& shape, hlo::InstructionId id,
                                        int leaf) const;
  // Puts what the device holds of the array, and what it lacks of its need.
  absl::Status AddTo(const ArrayRef& array, const layout::Shape& shape, ProjectedOperand* o) const;
  const sharding::DeviceGrid& grid() const { return grid_; }

 private:
  explicit DeviceTiles(const ShardingLookup& placement)
      : placement_(placement), grid_(*placement.mesh(), placement.meshes()) {}

  const ShardingLookup& placement_;
  sharding::DeviceGrid grid_;
  int64_t position_ = 0;
};

// The tile of the device, what it lacks of each operand, and what all devices move.
absl::Status AnswerDevice(const ArrayRef& of, const ShardingLookup& placement,
                          const DeviceTiles& tiles, ProjectAnswer* answer);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_PROJECT_PROJECT_DEVICE_H_
