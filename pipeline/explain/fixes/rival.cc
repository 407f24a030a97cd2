#include "tessera/pipeline/explain/fixes/rival.h"

#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/explain/chain.h"

namespace tessera::pipeline {
namespace {

using sharding::AxisList;
using sharding::AxisRef;
using sharding::Mesh;
using sharding::explain::AskedAxis;
using sharding::explain::Endpoint;
using sharding::explain::EventLog;
using sharding::explain::Refusal;

std::optional<Rival> RivalAt(const EventLog& log, const Endpoint& at, AxisRef axis) {
  const auto chains = Why(log, at.slot, at.dim, axis);
  if (chains.empty() || chains.front().annotation < 0) return std::nullopt;
  return Rival{chains.front().annotation, axis};
}

}  // namespace

std::optional<AxisRef> AxisAsked(const AskedAxis& asked, const Mesh& mesh) {
  const std::optional<int> axis = mesh.FindAxis(asked.name);
  if (!axis.has_value()) return std::nullopt;
  return asked.size == 0 ? AxisRef::Full(*axis) : AxisRef::Sub(*axis, asked.pre, asked.size);
}

std::optional<Rival> FindOwn(const EventLog& log, const Refusal& refusal) {
  if (refusal.from.slot < 0) return std::nullopt;
  return RivalAt(log, refusal.from, refusal.axis);
}

std::optional<Rival> FindRival(const EventLog& log, const Refusal& refusal,
                               const AskedAxis& asked) {
  if (refusal.held.has_value()) return RivalAt(log, refusal.holder, *refusal.held);
  for (const Endpoint& at : {refusal.holder, refusal.other}) {
    const sharding::TensorSharding* sharding = at.slot < 0 ? nullptr : log.Propagated(at.slot);
    if (sharding == nullptr || sharding->dim(at.dim).axes.empty()) continue;
    const AxisList& axes = sharding->dim(at.dim).axes;
    const auto axis = AxisAsked(asked, log.program().meshes().mesh(sharding->mesh_id()));
    if (axis.has_value() && OverlapsAny(*axis, axes)) continue;
    const size_t place = static_cast<size_t>(refusal.position);
    return RivalAt(log, at, place < axes.size() ? axes[place] : axes.back());
  }
  return std::nullopt;
}

}  // namespace tessera::pipeline
