// The cells of each operand that a device needs and does not hold: the exact demand of an operation
// under its shardings. No schedule without recomputation moves fewer bytes.
//
//   absl::StatusOr<OpDemand> d = DemandOf(signature, bits, grid, operands, result);
//   d->total_bytes
//   d->classes[0].operands[1].missing      // cells, for the devices of the class
#ifndef TESSERA_PROJECTION_COST_DEMAND_MISSING_H_
#define TESSERA_PROJECTION_COST_DEMAND_MISSING_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/projection/signature/signature.h"
#include "tessera/sharding/device_tiles.h"

namespace tessera::projection {

struct OperandDemand {
  ZSet need, missing;
  ZRange own;
  int64_t bytes = 0;  // of `missing`
  // With tiles padded to equal extents, as a partitioner moves them: a need that reaches the end of
  // a dimension takes the padding after it too.
  int64_t padded_bytes = 0;
};

// Devices that compute the same block from the same tiles.
struct ClassDemand {
  sharding::DeviceClass devices;
  ZRange result;  // the index block
  std::vector<OperandDemand> operands;
};

struct OpDemand {
  std::vector<ClassDemand> classes;
  int64_t total_bytes = 0;             // over all devices
  int64_t padded_bytes = 0;            // the same with padded tiles
  int64_t max_bytes = 0;               // of the device with most
  std::vector<int64_t> operand_bytes;  // over all devices
  bool exact = true;                   // false: some set was replaced by its bounding box
};

// Null shardings mean that every device holds (or computes) everything. One computation for each
// class of devices with equal coordinates on the axes that are used, whatever the size of the mesh.
// `element_bits` are of the operands, as their layouts store them (layout::StoredBits).
absl::StatusOr<OpDemand> DemandOf(const Signature& s, absl::Span<const int64_t> element_bits,
                                  const sharding::DeviceGrid& grid,
                                  absl::Span<const sharding::TensorSharding* const> operands,
                                  const sharding::TensorSharding* result);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_DEMAND_MISSING_H_
