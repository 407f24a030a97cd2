#include "tessera/sharding/explain/whynot/borders.h"

#include <numeric>

#include "tessera/sharding/axis_lists.h"

namespace tessera::sharding::explain {
namespace {

int64_t SizeOf(const EventLog& log, SlotId slot, int dim) {
  const propagation::NumberedProgram& numbered = log.numbered();
  const propagation::ValueId value =
      log.IsOutput(slot) ? numbered.outputs()[static_cast<size_t>(log.OutputOf(slot))].value : slot;
  return numbered.dims(value)[static_cast<size_t>(dim)];
}

// At the border of a function only what divides the dimension stays, and of an open dimension no
// part of an axis.
void ReadBorder(const AxisList& axes, int64_t size, const Mesh& mesh, Refusal* refusal) {
  refusal->kind = RefusalKind::kBoundarySubAxis;
  refusal->size_have = size;
  int64_t before = 1;
  for (const AxisRef axis : axes) {
    const int64_t own = axis.size(mesh);
    const int64_t part = std::gcd(size / before, own);
    refusal->size_before = before;
    before *= own;
    if (part == own) {
      if (Overlaps(axis, refusal->axis)) return;
      continue;
    }
    refusal->kind = RefusalKind::kBoundaryNotDivisible;
    refusal->size_need = own;
    if (part > 1) refusal->kept = AxisRef::Sub(axis.axis(), axis.pre_size(), part);
    if (!Overlaps(axis, refusal->axis)) refusal->axis_before = axis;
    return;
  }
}

// A sharding of one device has no dimensions.
bool Has(const TensorSharding* sharding, int dim, AxisRef axis) {
  return sharding != nullptr && dim < sharding->rank() &&
         OverlapsAny(axis, sharding->dim(dim).axes);
}

// The last event after which the dimension had the axis, and the one that took it away.
int32_t EventThatTook(const EventLog& log, SlotId slot, int dim, AxisRef axis) {
  bool had = false;
  int32_t took = kNoIndex;
  for (const int32_t e : log.EventsOf(slot)) {
    const bool has = Has(log.program().Find(log.event(e).after), dim, axis);
    if (had && !has) took = e;
    had = has;
  }
  return had ? kNoIndex : took;
}

}  // namespace

std::optional<Refusal> TakenAway(const EventLog& log, SlotId slot, int dim, AxisRef axis) {
  const int32_t took = EventThatTook(log, slot, dim, axis);
  if (took == kNoIndex) return std::nullopt;
  const Event& event = log.event(took);
  Refusal refusal;
  refusal.event = took;
  refusal.axis = axis;
  refusal.to.slot = slot;
  refusal.to.value = log.IsOutput(slot) ? propagation::kNone : slot;
  refusal.to.dim = dim;
  refusal.came = event.time;
  if (event.after != kNoSharding && log.MeshOf(event.after).is_maximal()) {
    refusal.kind = RefusalKind::kSingleDevice;
    return refusal;
  }
  const TensorSharding& before = *log.program().Find(event.before);
  refusal.mesh = &log.program().meshes().mesh(before.mesh_id());
  switch (event.cause) {
    case EventCause::kBoundaryCut:
      ReadBorder(before.dim(dim).axes, SizeOf(log, slot, dim), *refusal.mesh, &refusal);
      return refusal;
    case EventCause::kReshard:
      refusal.kind = RefusalKind::kReshardedForOp;
      if (!log.IsOutput(slot)) refusal.actor.op = log.numbered().def(slot);
      return refusal;
    case EventCause::kOverwritten:
    case EventCause::kGroupWrite: {
      refusal.kind = RefusalKind::kOverwritten;
      const Step& step = log.StepOf(event);
      refusal.actor = {step.op, step.output};
      if (event.cause == EventCause::kOverwritten) {
        refusal.winner = log.TensorOf(step.op, step.output, event.tensor, dim);
      }
      return refusal;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace tessera::sharding::explain
