#include "tessera/cost/step/step_cost.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/cost/memory/device_memory.h"
#include "tessera/cost/memory/fused.h"
#include "tessera/cost/memory/tiled_layouts.h"
#include "tessera/cost/network/collective_cost.h"
#include "tessera/cost/network/payload.h"
#include "tessera/cost/step/device_work.h"
#include "tessera/cost/step/loop_runs.h"
#include "tessera/hlo/error_at.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

using sharding::partition::Collective;
using sharding::partition::Partitioned;
using sharding::partition::PartitionedModule;

absl::Status AddSent(const hlo::Module& module, const Collective& c, int64_t runs, StepCost* cost) {
  const std::optional<Payload> payload = PayloadOf(c);
  if (!payload.has_value()) return absl::OkStatus();
  TESSERA_ASSIGN_OR_RETURN(int64_t sent, SentBytes(*payload));
  if (!MultiplyFits(sent, runs, &sent) || !AddFits(cost->sent, sent, &cost->sent)) {
    return hlo::ErrorAt(module, c.cause == hlo::kNoId ? module.entry().root : c.cause,
                        "a device sends more than 2^63 bytes up to here");
  }
  return absl::OkStatus();
}

absl::Status AddCollectives(const hlo::Module& module, const Partitioned& found,
                            const Machine* machine, StepCost* cost) {
  LoopRuns all_runs(module, found);
  for (const Collective& c : found.collectives) {
    TESSERA_ASSIGN_OR_RETURN(const auto count, all_runs.Of(c.body));
    cost->counted_once += count.known ? 0 : 1;
    TESSERA_RETURN_IF_ERROR(AddSent(module, c, count.runs, cost));
    if (machine == nullptr) continue;
    const CollectiveCost once = CostOf(c, *machine);
    cost->network_s += once.seconds.value_or(0) * static_cast<double>(count.runs);
    cost->without_time += once.seconds.has_value() ? 0 : 1;
  }
  cost->collectives = static_cast<int64_t>(found.collectives.size());
  return absl::OkStatus();
}

absl::Status AddWork(const hlo::Module& device, const Fused& fused, const Machine& machine,
                     StepCost* cost) {
  constexpr size_t kNamed = 3;
  std::vector<Unpriced> unpriced;
  TESSERA_ASSIGN_OR_RETURN(const DeviceWork work,
                           WorkOf(device, fused, machine.topology.device(), &unpriced));
  cost->device_s = work.seconds;
  cost->unpriced = static_cast<int64_t>(unpriced.size());
  for (size_t k = 0; k < std::min(kNamed, unpriced.size()); ++k) {
    cost->unpriced_names.emplace_back(device.instruction(unpriced[k].id).name);
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> MemoryWith(const layout::TileRules& tiles, hlo::Module device,
                                   Fused fused) {
  TileForHardware(tiles, &device);
  return TotalMemoryOf(device, std::move(fused));
}

}  // namespace

absl::StatusOr<StepCost> CostOfStep(const hlo::Module& module, const Machine* machine,
                                    const sharding::reference::Behaviors& behaviors) {
  TESSERA_ASSIGN_OR_RETURN(const PartitionedModule device,
                           sharding::partition::PartitionModule(
                               module, behaviors, sharding::partition::OptionsOfCosts()));
  return CostOfStep(module, device, machine);
}

absl::StatusOr<StepCost> CostOfStep(const hlo::Module& module, const PartitionedModule& device,
                                    const Machine* machine, const layout::TileRules* tiles) {
  StepCost cost;
  TESSERA_RETURN_IF_ERROR(AddCollectives(module, device.found, machine, &cost));
  Fused fused = FusedInstructions(device.module);
  if (machine != nullptr) {
    TESSERA_RETURN_IF_ERROR(AddWork(device.module, fused, *machine, &cost));
  }
  TESSERA_ASSIGN_OR_RETURN(cost.memory, tiles == nullptr
                                            ? TotalMemoryOf(device.module, std::move(fused))
                                            : MemoryWith(*tiles, device.module, std::move(fused)));
  return cost;
}

absl::StatusOr<int64_t> SentInStep(const hlo::Module& module, const Partitioned& found) {
  StepCost cost;
  TESSERA_RETURN_IF_ERROR(AddCollectives(module, found, /*machine=*/nullptr, &cost));
  return cost.sent;
}

absl::StatusOr<WorkList> WorkOfStep(const hlo::Module& device, const Machine& machine) {
  return ListWork(device, FusedInstructions(device), machine.topology.device());
}

}  // namespace tessera::cost
