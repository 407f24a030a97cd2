#include "tessera/cost/step/step_cost.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/cost/memory/device_memory.h"
#include "tessera/cost/memory/device_module.h"
#include "tessera/cost/memory/fused.h"
#include "tessera/cost/memory/received.h"
#include "tessera/cost/memory/tiled_layouts.h"
#include "tessera/cost/network/collective_cost.h"
#include "tessera/cost/network/payload.h"
#include "tessera/cost/step/device_work.h"
#include "tessera/cost/step/loop_runs.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/text/checked.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

using hlo::InstructionId;
using sharding::partition::Collective;
using sharding::partition::Partitioned;

absl::Status AddSent(const hlo::Module& module, const Collective& c, int64_t runs, StepCost* cost) {
  const std::optional<Payload> payload = PayloadOf(c);
  if (!payload.has_value()) return absl::OkStatus();
  TESSERA_ASSIGN_OR_RETURN(int64_t sent, SentBytes(*payload));
  if (!MultiplyFits(sent, runs, &sent) || !AddFits(cost->sent, sent, &cost->sent)) {
    const hlo::Instruction& at =
        module.instruction(c.cause == hlo::kNoId ? module.entry().root : c.cause);
    return text::ErrorAt(at.source.begin, "a device sends more than 2^63 bytes up to here");
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

// A contraction that asks for a sum has made a part of it.
absl::flat_hash_map<InstructionId, int64_t> ReducedIn(const Partitioned& found) {
  absl::flat_hash_map<InstructionId, int64_t> reduced;
  for (const Collective& c : found.collectives) {
    if (c.opcode != hlo::Opcode::kAllReduce || c.given || c.cause == hlo::kNoId) continue;
    if (c.groups.empty()) continue;
    int64_t& devices = reduced[c.cause];
    devices = std::max(devices, static_cast<int64_t>(c.groups[0].size()));
  }
  return reduced;
}

// The program of one device, and what of it has no buffer.
struct OnDevice {
  hlo::Module module;
  Received received;
  Fused fused;
};

absl::StatusOr<OnDevice> ShrunkToDevice(const hlo::Module& module, const Partitioned& found) {
  TESSERA_ASSIGN_OR_RETURN(Received received, ReceivedIn(module, found));
  hlo::Module device = module;
  TESSERA_RETURN_IF_ERROR(ShrinkToDevice(&device));
  Fused fused = FusedInstructions(device, received);
  return OnDevice{std::move(device), std::move(received), std::move(fused)};
}

absl::Status AddWork(const hlo::Module& module, const Partitioned& found, const OnDevice& device,
                     const Machine& machine, StepCost* cost) {
  constexpr size_t kNamed = 3;
  std::vector<Unpriced> unpriced;
  TESSERA_ASSIGN_OR_RETURN(const DeviceWork work,
                           WorkOf({module, device.module, ReducedIn(found), device.fused},
                                  machine.topology.device(), &unpriced));
  cost->device_s = work.seconds;
  cost->unpriced = static_cast<int64_t>(unpriced.size());
  for (size_t k = 0; k < std::min(kNamed, unpriced.size()); ++k) {
    cost->unpriced_names.emplace_back(module.instruction(unpriced[k].id).name);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StepCost> CostOfStep(const hlo::Module& module, const Machine* machine,
                                    const sharding::reference::Behaviors& behaviors) {
  TESSERA_ASSIGN_OR_RETURN(const Partitioned found,
                           sharding::partition::FindCollectives(module, behaviors));
  return CostOfStep(module, found, machine);
}

absl::StatusOr<StepCost> CostOfStep(const hlo::Module& module, const Partitioned& found,
                                    const Machine* machine, const layout::TileRules* tiles) {
  StepCost cost;
  TESSERA_RETURN_IF_ERROR(AddCollectives(module, found, machine, &cost));
  TESSERA_ASSIGN_OR_RETURN(OnDevice device, ShrunkToDevice(module, found));
  if (machine != nullptr) TESSERA_RETURN_IF_ERROR(AddWork(module, found, device, *machine, &cost));
  if (tiles != nullptr) TileForHardware(*tiles, &device.module);
  TESSERA_ASSIGN_OR_RETURN(
      const DeviceMemory memory,
      MemoryOf(device.module, std::move(device.received), std::move(device.fused)));
  cost.memory = memory.total();
  return cost;
}

absl::StatusOr<WorkList> WorkOfStep(const hlo::Module& module, const Partitioned& found,
                                    const Machine& machine) {
  TESSERA_ASSIGN_OR_RETURN(const OnDevice device, ShrunkToDevice(module, found));
  return ListWork({module, device.module, ReducedIn(found), device.fused},
                  machine.topology.device());
}

}  // namespace tessera::cost
