#include "tessera/testing/explain/checks.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/explain/chain.h"

namespace tessera::sharding::explain {
namespace {

bool FallsInTime(const Chain& chain) {
  for (size_t i = 1; i < chain.links.size(); ++i) {
    if (chain.links[i].event >= chain.links[i - 1].event) return false;
  }
  return true;
}

absl::Status CheckAxis(const EventLog& log, SlotId slot, int dim, AxisRef axis) {
  const Mesh& mesh = log.MeshOf(log.PropagatedId(slot));
  const auto fault = [&](const char* what) {
    return absl::InternalError(absl::StrCat("slot ", slot, " dimension ", dim, " axis ",
                                            AxisRefToString(axis, mesh), ": ", what));
  };
  AxisList rest = {axis};
  for (const Chain& chain : Why(log, slot, dim, axis)) {
    if (chain.annotation == kNoIndex) return fault("a chain does not end in an annotation");
    if (!FallsInTime(chain)) return fault("a chain does not go back in time");
    rest = SetDifference(rest, {chain.axis}, mesh);
  }
  return rest.empty() ? absl::OkStatus() : fault("no chain");
}

absl::Status CheckChainsOf(const EventLog& log, SlotId slot, const TensorSharding& sharding) {
  for (int d = 0; d < sharding.rank(); ++d) {
    for (const AxisRef axis : sharding.dim(d).axes) {
      if (absl::Status status = CheckAxis(log, slot, d, axis); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckReplay(const EventLog& log) {
  std::vector<ShardingId> state(static_cast<size_t>(log.num_slots()), kNoSharding);
  for (size_t e = 0; e < log.events().size(); ++e) {
    const Event& event = log.events()[e];
    if (event.time.stage >= Stage::kExport) break;
    ShardingId& slot = state[static_cast<size_t>(event.target)];
    if (event.before != slot) {
      return absl::InternalError(
          absl::StrCat("event ", e, " of slot ", event.target, ": another sharding before it"));
    }
    slot = event.after;
  }
  for (SlotId slot = 0; slot < log.num_slots(); ++slot) {
    const bool same = state[static_cast<size_t>(slot)] == log.PropagatedId(slot);
    if (same || !log.OwnsSharding(slot)) continue;
    return absl::InternalError(
        absl::StrCat("slot ", slot, ": the events end in another sharding than propagation"));
  }
  return absl::OkStatus();
}

absl::Status CheckChains(const EventLog& log) {
  for (SlotId slot = 0; slot < log.num_slots(); ++slot) {
    const TensorSharding* sharding = log.Propagated(slot);
    if (sharding == nullptr || !log.OwnsSharding(slot)) continue;
    if (absl::Status status = CheckChainsOf(log, slot, *sharding); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace tessera::sharding::explain
