// EventLog: how every tensor of a propagated module came to its sharding.
//
//   Recorder recorder;
//   auto sharded = pipeline::Propagate(module, options, &recorder);
//   const pipeline::PropagatedModule& s = **sharded;
//   EventLog log(*s.program, *s.run, s.book->table, std::move(recorder));
//   SlotId y = log.SlotOf(value);
//   for (int32_t e : log.EventsOf(y)) log.event(e);          // all that happened to y, in order
//   log.LastGain(y, /*dim=*/1, AxisRef::Full(0));            // what brought 'a' to dim 1
//
// To be made before the passes after propagation run; ExportEvents (export_events.h)
// appends what those change. Its arguments must outlive it.
//
// Cost: linear in the changes. Tested by event_log_test.cc: played back, the events give the state
// of the engine bit for bit.

#ifndef TESSERA_SHARDING_EXPLAIN_EVENT_LOG_H_
#define TESSERA_SHARDING_EXPLAIN_EVENT_LOG_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/explain/event.h"
#include "tessera/sharding/explain/recorder.h"
#include "tessera/sharding/factors/rule_table.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/passes/propagate/run.h"

namespace tessera::sharding::explain {

// A part of an axis, and the gain that brought it.
struct Brought {
  int32_t event = kNoIndex;
  int gain = 0;  // of the event's
  AxisRef axis;
};

class EventLog {
 public:
  static constexpr int32_t kEnd = std::numeric_limits<int32_t>::max();

  EventLog(const passes::HloProgram& program, const passes::Propagated& run,
           const factors::RuleTable& rules, Recorder recorder);

  // --- what happened
  const std::vector<Event>& events() const { return events_; }
  const Event& event(int32_t e) const { return events_[static_cast<size_t>(e)]; }
  const std::vector<Annotation>& annotations() const { return annotations_; }
  // Those of the import, then those of propagation.
  const std::vector<Step>& steps() const { return steps_; }
  // Of an event that has one.
  const Step& StepOf(const Event& event) const { return steps_[static_cast<size_t>(event.step)]; }
  // Numbers of the events that wrote the slot, in order.
  const std::vector<int32_t>& EventsOf(SlotId slot) const { return by_slot_[Index(slot)]; }

  // The last event before number `bound` that brought `axis`, or a part of it, to the dimension.
  std::optional<Brought> LastGain(SlotId slot, int dim, AxisRef axis, int32_t bound = kEnd) const;
  // All parts of `axis`, each with the last event that brought it; the latest event first. Parts
  // that no event brought are left out.
  std::vector<Brought> Gains(SlotId slot, int dim, AxisRef axis, int32_t bound = kEnd) const;

  // When axes for `factor` of the op (or of the output, with op kNone) were first refused to
  // `tensor` of that op. The number of its step is that of the change at hand or next.
  std::optional<Time> FirstRefused(propagation::OpId op, int output, int factor, int tensor) const;

  // --- slots
  int num_slots() const { return static_cast<int>(by_slot_.size()); }
  SlotId SlotOf(propagation::ValueId value) const { return numbered().sharding_owner(value); }
  SlotId SlotOfOutput(int k) const { return numbered().num_values() + k; }
  bool IsOutput(SlotId slot) const { return slot >= numbered().num_values(); }
  // False for a target of a data-flow edge: what it holds itself counts for nothing.
  bool OwnsSharding(SlotId slot) const {
    return IsOutput(slot) || numbered().sharding_owner(slot) == slot;
  }
  int OutputOf(SlotId slot) const { return slot - numbered().num_values(); }
  // After propagation, and before it, when constraints have bound their operands; null without a
  // sharding.
  const TensorSharding* Propagated(SlotId slot) const {
    return program_->Find(propagated_[Index(slot)]);
  }
  const TensorSharding* AtStart(SlotId slot) const {
    return program_->Find(at_start_[Index(slot)]);
  }
  ShardingId PropagatedId(SlotId slot) const { return propagated_[Index(slot)]; }
  // In the end; as propagation left it while nothing after it was added.
  ShardingId FinalId(SlotId slot) const {
    return EventsOf(slot).empty() ? PropagatedId(slot) : event(EventsOf(slot).back()).after;
  }

  // Tensor `t` of a step of the op, dimension `dim`; of an output with op kNone. A step of a
  // data-flow edge has the edge's sources as operands and the edge as result.
  Endpoint TensorOf(propagation::OpId op, int output, int t, int dim) const;

  // --- what it is about
  const passes::HloProgram& program() const { return *program_; }
  const passes::Propagated& run() const { return *run_; }
  const propagation::NumberedProgram& numbered() const { return run_->numbered(); }
  const factors::RuleTable& rules() const { return *rules_; }
  // Null for an op that has none, or that was never asked.
  const factors::OpShardingRule* RuleOf(propagation::OpId op) const;
  // The op of the program; null for the header of the function.
  const passes::Op* OpOf(propagation::OpId op) const { return run_->numbered().op(op); }
  const Mesh& MeshOf(ShardingId id) const {
    return program_->meshes().mesh(program_->shardings()[id].mesh_id());
  }

  // For the passes after propagation. `event` comes after all others.
  void Append(Event event);

 private:
  static size_t Index(SlotId slot) { return static_cast<size_t>(slot); }
  void FindShardings();
  void AddStart();
  void AddWrites();

  const passes::HloProgram* program_;
  const passes::Propagated* run_;
  const factors::RuleTable* rules_;
  Recorder recorder_;
  int64_t first_step_ = 0;  // the number of propagation's first
  std::vector<Event> events_;
  std::vector<Annotation> annotations_;
  std::vector<Step> steps_;
  std::vector<ShardingId> at_start_;    // by slot
  std::vector<ShardingId> propagated_;  // by slot
  std::vector<std::vector<int32_t>> by_slot_;
};

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_EVENT_LOG_H_
