#include "tessera/sharding/explain/export_events.h"

#include <utility>

#include "tessera/sharding/explain/gains.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/passes/program/sharding_access.h"

namespace tessera::sharding::explain {
namespace {

using passes::OpKind;
using passes::Value;
using propagation::ValueId;

bool IsManualArg(const Value& value) {
  const passes::Block* owner = value.owner();
  return owner != nullptr && owner->parent != nullptr &&
         owner->parent->kind == OpKind::kManualComputation;
}

// A value at a boundary: a block argument, or a result of a call or shard_map.
bool IsAtBoundary(const Value& value) {
  if (value.def() == nullptr) return true;
  const OpKind kind = value.def()->kind;
  return kind == OpKind::kManualComputation || kind == OpKind::kCall;
}

bool SameAxes(const TensorSharding* before, const TensorSharding& after) {
  for (int d = 0; d < after.rank(); ++d) {
    if (AxesAt(before, d) != AxesAt(&after, d)) return false;
  }
  return true;
}

Event EventFor(const EventLog& log, SlotId slot, ShardingId after, bool at_boundary) {
  Event event;
  event.target = slot;
  event.before = log.PropagatedId(slot);
  event.after = after;
  event.bound = static_cast<int32_t>(log.events().size());
  const TensorSharding& now = log.program().shardings()[after];
  if (SameAxes(log.Propagated(slot), now)) {
    event.cause = EventCause::kClosed;
  } else {
    event.cause = at_boundary ? EventCause::kBoundaryCut : EventCause::kReshard;
    event.gains = NewAxes(log.Propagated(slot), now, log.MeshOf(after));
  }
  event.time.stage = event.cause == EventCause::kReshard ? Stage::kReshard : Stage::kExport;
  event.time.step = log.steps().empty() ? 0 : log.steps().back().number + 1;
  return event;
}

}  // namespace

ExportEvents::ExportEvents(const EventLog& log) {
  const std::vector<Value*>& values = log.numbered().values();
  for (ValueId v = 0; v < log.numbered().num_values(); ++v) {
    Value* value = values[static_cast<size_t>(v)];
    const passes::Op* def = value->def();
    if (def != nullptr && def->kind == OpKind::kDataFlowEdge) value = def->operand(0);
    final_values_.push_back(log.OwnsSharding(v) ? value : nullptr);
  }
}

void ExportEvents::AddTo(passes::HloProgram* program, EventLog* log) const {
  for (ValueId v = 0; v < log->numbered().num_values(); ++v) {
    Value* value = final_values_[static_cast<size_t>(v)];
    // A forwarded value has no event; its replacement has its own.
    if (value == nullptr || value->Resolve() != value) continue;
    const ShardingId now =
        IsManualArg(*value) ? passes::LocalSharding(*program, value) : value->sharding();
    if (now == kNoSharding || now == log->PropagatedId(v)) continue;
    log->Append(EventFor(*log, v, now, IsAtBoundary(*value)));
  }
  const std::vector<ShardingId>& results = program->entry()->result_shardings;
  for (size_t k = 0; k < results.size() && k < log->numbered().outputs().size(); ++k) {
    const SlotId slot = log->SlotOfOutput(static_cast<int>(k));
    if (results[k] == kNoSharding || results[k] == log->PropagatedId(slot)) continue;
    Event event = EventFor(*log, slot, results[k], /*at_boundary=*/true);
    const ValueId value = log->numbered().outputs()[k].value;
    for (Gain& gain : event.gains) {
      gain.from.push_back({log->SlotOf(value), value, kNoIndex, gain.dim});
    }
    log->Append(std::move(event));
  }
}

}  // namespace tessera::sharding::explain
