#include "tessera/testing/reshard_plans/reshard_cost.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "tessera/projection/cost/network/collective_bytes.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/device_tiles.h"
#include "tessera/testing/reshard_plans/atoms.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::reshard_plans {
namespace {

using sharding::DeviceGrid;
using sharding::Mesh;
using sharding::TensorSharding;
using sharding::TileRange;

// Every device at once, and no step brings more than the whole array to each.
absl::Status CheckSize(const Resharded& a) {
  const Mesh& mesh = a.meshes.mesh(a.to.mesh_id());
  Checked bytes = Checked(a.element_bytes) * std::max<int64_t>(mesh.num_devices(), 1) * 64;
  for (int64_t size : a.shape) bytes *= std::max<int64_t>(size, 1);
  return bytes.ok() ? absl::OkStatus() : absl::OutOfRangeError("the bytes of a reshard");
}

// Bytes that each device lacks of its tile under `after` when it holds the one under `before`.
absl::StatusOr<std::vector<int64_t>> NewBytes(const Resharded& a, const TensorSharding& before,
                                              const TensorSharding& after) {
  const DeviceGrid had(a.meshes.mesh(before.mesh_id()), a.meshes);
  const DeviceGrid gets(a.meshes.mesh(after.mesh_id()), a.meshes);
  absl::flat_hash_map<int64_t, int64_t> position;  // of each device before
  for (int64_t at = 0; at < had.num_devices(); ++at) position[had.DeviceAt(at)] = at;
  std::vector<int64_t> bytes;
  for (int64_t at = 0; at < gets.num_devices(); ++at) {
    TESSERA_ASSIGN_OR_RETURN(const std::vector<TileRange> tile, gets.Tile(a.shape, after, at));
    TESSERA_ASSIGN_OR_RETURN(const std::vector<TileRange> held,
                             had.Tile(a.shape, before, position[gets.DeviceAt(at)]));
    bytes.push_back(NewElements(held, tile) * a.element_bytes);
  }
  return bytes;
}

// What all devices send to combine partial results of which each has a tile under `before`.
absl::StatusOr<int64_t> CombinedBytes(const Resharded& a, const TensorSharding& before,
                                      const Collective& step) {
  const DeviceGrid grid(a.meshes.mesh(before.mesh_id()), a.meshes);
  TESSERA_ASSIGN_OR_RETURN(const std::vector<int64_t> tile, grid.TileShape(a.shape, before));
  int64_t bytes = a.element_bytes;
  for (int64_t size : tile) bytes *= size;
  const auto kind = step.kind == CollectiveKind::kAllReduce
                        ? projection::CollectiveKind::kAllReduce
                        : projection::CollectiveKind::kReduceScatter;
  TESSERA_ASSIGN_OR_RETURN(
      const projection::CollectiveTraffic bill,
      projection::PriceCollective(kind, bytes, a.element_bytes,
                                  sharding::ShardedSize(step.axes, grid.mesh())));
  return bill.sent * grid.num_devices();
}

absl::StatusOr<int64_t> StepBytes(const Resharded& a, const TensorSharding& before,
                                  const Collective& step) {
  if (step.kind == CollectiveKind::kAllReduce || step.kind == CollectiveKind::kReduceScatter) {
    return CombinedBytes(a, before, step);
  }
  TESSERA_ASSIGN_OR_RETURN(const std::vector<int64_t> bytes, NewBytes(a, before, step.sharding));
  int64_t total = 0;
  for (int64_t one : bytes) total += one;
  return total;
}

}  // namespace

absl::StatusOr<ReshardDemand> DemandOf(const Resharded& array) {
  TESSERA_RETURN_IF_ERROR(CheckSize(array));
  ReshardDemand demand;
  TESSERA_ASSIGN_OR_RETURN(demand.bytes, NewBytes(array, array.from, array.to));
  for (int64_t bytes : demand.bytes) {
    demand.total += bytes;
    demand.max = std::max(demand.max, bytes);
  }
  return demand;
}

absl::StatusOr<PlanCost> CostOf(const Resharded& array, const CollectivePlan& plan) {
  TESSERA_RETURN_IF_ERROR(CheckSize(array));
  PlanCost cost;
  const TensorSharding* before = &array.from;
  for (const Collective& step : plan.steps) {
    TESSERA_ASSIGN_OR_RETURN(const int64_t bytes, StepBytes(array, *before, step));
    cost.steps.push_back(bytes);
    cost.total += bytes;
    before = &step.sharding;
  }
  return cost;
}

}  // namespace tessera::testing::reshard_plans
