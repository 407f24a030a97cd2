#include "tessera/sharding/explain/event_log.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/explain/annotations.h"
#include "tessera/sharding/explain/gains.h"

namespace tessera::sharding::explain {
namespace {

using propagation::kNone;
using propagation::ValueId;

EventCause CauseOf(propagation::Cause cause) {
  switch (cause) {
    case propagation::Cause::kStep:
      return EventCause::kFlow;
    case propagation::Cause::kGroup:
      return EventCause::kGroupWrite;
    case propagation::Cause::kOpenFilling:
      return EventCause::kOpenFilling;
    case propagation::Cause::kGroupSync:
      return EventCause::kGroupSync;
    case propagation::Cause::kMaskPriority:
      return EventCause::kMaskPriority;
    default:
      return EventCause::kRestorePriority;
  }
}

// Turns what was recorded into events.
class WriteReader {
 public:
  WriteReader(const EventLog& log, std::vector<ShardingId> state, int64_t first_step)
      : log_(log),
        state_(std::move(state)),
        first_step_(first_step),
        last_write_(state_.size(), kNoIndex),
        is_synced_(state_.size()),
        speakers_(log.numbered().groups().size()) {
    for (size_t g = 0; g < speakers_.size(); ++g) {
      for (const ValueId member : log.numbered().groups()[g]) groups_of_[member].push_back(g);
    }
  }

  // `number`: of the event that is made.
  Event Read(const RecordedWrite& recorded, int32_t number, int32_t steps_at_start) {
    const propagation::WriteEvent& write = recorded.write;
    Event event;
    event.cause = CauseOf(write.cause);
    event.time = TimeOf(recorded);
    event.target = write.value == kNone ? log_.SlotOfOutput(write.output) : write.value;
    event.tensor = write.tensor;
    event.before = write.before;
    event.after = write.after;
    event.bound = number;
    if (recorded.in_step) {
      if (step_ != recorded.steps_before) first_of_step_ = number;
      step_ = recorded.steps_before;
      event.step = steps_at_start + static_cast<int32_t>(step_);
    }
    FindGains(&event);
    if (event.cause == EventCause::kFlow) {
      event.bound = first_of_step_;
      if (WasWrittenBefore(event.target)) event.cause = EventCause::kOverwritten;
      last_flow_ = event.target;
    }
    state_[static_cast<size_t>(event.target)] = event.after;
    if (event.cause == EventCause::kGroupSync) is_synced_[static_cast<size_t>(event.target)] = true;
    last_write_[static_cast<size_t>(event.target)] = number;
    return event;
  }

 private:
  // Who gives a sharding to its group; all members get it one after the other.
  struct Speaker {
    ShardingId sharding = kNoSharding;
    SlotId slot = kNoIndex;
  };

  Time TimeOf(const RecordedWrite& recorded) const {
    Time time;
    time.stage =
        recorded.write.cause == propagation::Cause::kGroupSync ? Stage::kSync : Stage::kPropagation;
    time.round = recorded.phase.user_priority;
    time.level = recorded.phase.level;
    time.aggressive = recorded.phase.aggressive;
    time.step = first_step_ + recorded.steps_before;
    return time;
  }

  // In the step at hand.
  bool WasWrittenBefore(SlotId slot) const {
    const int32_t last = last_write_[static_cast<size_t>(slot)];
    return last != kNoIndex && last >= first_of_step_;
  }

  void FindGains(Event* event) {
    if (event->after == kNoSharding) return;
    const passes::HloProgram& program = log_.program();
    event->gains = NewAxes(program.Find(event->before), *program.Find(event->after),
                           log_.MeshOf(event->after));
    switch (event->cause) {
      case EventCause::kFlow:
        return Attribute(event);
      case EventCause::kGroupWrite:
        return TakeFrom(last_flow_, event);
      case EventCause::kGroupSync:
        return TakeFrom(SpeakerOf(*event), event);
      default:
        return;
    }
  }

  // By the factors of the step.
  void Attribute(Event* event) const {
    const Step& step = log_.StepOf(*event);
    std::vector<Gain> gains;
    for (TakenGain& part :
         SplitByFactor(event->gains, event->tensor, step.takes, log_.MeshOf(event->after))) {
      if (part.take != nullptr) AddSources(step, *part.take, &part.gain);
      gains.push_back(std::move(part.gain));
    }
    event->gains = std::move(gains);
  }

  void AddSources(const Step& step, const Take& take, Gain* gain) const {
    const factors::OpShardingRule& rule = log_.rules()[step.rule];
    for (const int t : take.sources) {
      const int cell = rule.cell(t, take.factor);
      int d = 0;
      while (cell >= rule.first_cell(t, d + 1)) ++d;
      gain->from.push_back(log_.TensorOf(step.op, step.output, t, d));
    }
  }

  static void TakeFrom(SlotId slot, Event* event) {
    for (Gain& gain : event->gains) gain.from.push_back({slot, slot, kNoIndex, gain.dim});
  }

  // The member of the group whose sharding all get: the first that had it, and did not get it from
  // the group itself. An edge may be in several groups.
  SlotId SpeakerOf(const Event& event) {
    for (const size_t group : groups_of_[event.target]) {
      Speaker& speaker = speakers_[group];
      if (speaker.sharding != event.after) speaker = {event.after, FindSpeaker(group, event.after)};
      if (speaker.slot != kNoIndex) return speaker.slot;
    }
    return event.target;
  }

  SlotId FindSpeaker(size_t group, ShardingId sharding) const {
    for (const ValueId member : log_.numbered().groups()[group]) {
      const auto slot = static_cast<size_t>(member);
      if (state_[slot] == sharding && !is_synced_[slot]) return member;
    }
    return kNoIndex;
  }

  const EventLog& log_;
  std::vector<ShardingId> state_;  // by slot, as it is before the event at hand
  const int64_t first_step_;
  int64_t step_ = kNone;
  int32_t first_of_step_ = 0;
  SlotId last_flow_ = kNoIndex;
  std::vector<int32_t> last_write_;  // by slot: the number of the event
  std::vector<bool> is_synced_;      // by slot
  absl::flat_hash_map<SlotId, absl::InlinedVector<size_t, 1>> groups_of_;  // of members
  std::vector<Speaker> speakers_;                                          // by group
};

// The part of the axis that the gain brought.
std::optional<AxisRef> PartOf(const Gain& gain, AxisRef axis) {
  for (const AxisRef gained : gain.axes) {
    if (const std::optional<AxisRef> part = Overlap(axis, gained)) return part;
  }
  return std::nullopt;
}

}  // namespace

EventLog::EventLog(const passes::HloProgram& program, const passes::Propagated& run,
                   const factors::RuleTable& rules, Recorder recorder)
    : program_(&program), run_(&run), rules_(&rules), recorder_(std::move(recorder)) {
  by_slot_.resize(static_cast<size_t>(numbered().num_values()) + numbered().outputs().size());
  FindShardings();
  AddStart();
  AddWrites();
}

void EventLog::FindShardings() {
  propagated_ = run_->result().shardings;
  const std::vector<ShardingId>& outputs = run_->result().outputs;
  propagated_.insert(propagated_.end(), outputs.begin(), outputs.end());
  // The sharding of a slot before its first write; without a write, the final one.
  at_start_ = propagated_;
  for (auto w = recorder_.writes().rbegin(); w != recorder_.writes().rend(); ++w) {
    const SlotId slot = w->write.value == kNone ? SlotOfOutput(w->write.output) : w->write.value;
    at_start_[Index(slot)] = w->write.before;
  }
}

void EventLog::AddStart() {
  Start start = FindStart(*program_, run_->numbered(), at_start_);
  annotations_ = std::move(start.annotations);
  steps_ = std::move(start.steps);
  first_step_ = start.first_step;
  for (Event& event : start.events) Append(std::move(event));
}

void EventLog::AddWrites() {
  const int32_t steps_at_start = static_cast<int32_t>(steps_.size());
  for (Step step : recorder_.steps()) {
    step.number += first_step_;
    steps_.push_back(std::move(step));
  }
  WriteReader reader(*this, at_start_, first_step_);
  for (const RecordedWrite& write : recorder_.writes()) {
    Append(reader.Read(write, static_cast<int32_t>(events_.size()), steps_at_start));
  }
}

void EventLog::Append(Event event) {
  by_slot_[Index(event.target)].push_back(static_cast<int32_t>(events_.size()));
  events_.push_back(std::move(event));
}

std::optional<Brought> EventLog::LastGain(SlotId slot, int dim, AxisRef axis, int32_t bound) const {
  const std::vector<int32_t>& numbers = EventsOf(slot);
  for (auto e = std::lower_bound(numbers.begin(), numbers.end(), bound); e != numbers.begin();) {
    const Event& event = this->event(*--e);
    for (size_t g = 0; g < event.gains.size(); ++g) {
      if (event.gains[g].dim != dim) continue;
      const std::optional<AxisRef> part = PartOf(event.gains[g], axis);
      if (part) return Brought{*e, static_cast<int>(g), *part};
    }
  }
  return std::nullopt;
}

std::vector<Brought> EventLog::Gains(SlotId slot, int dim, AxisRef axis, int32_t bound) const {
  std::vector<Brought> found;
  AxisList open = {axis};
  while (!open.empty()) {
    const AxisRef part = open.back();
    open.pop_back();
    const std::optional<Brought> brought = LastGain(slot, dim, part, bound);
    if (!brought) continue;
    found.push_back(*brought);
    const TensorSharding& after = program_->shardings()[event(brought->event).after];
    const AxisList rest =
        SetDifference({part}, {brought->axis}, program_->meshes().mesh(after.mesh_id()));
    open.insert(open.end(), rest.begin(), rest.end());
  }
  absl::c_stable_sort(found, [](const Brought& a, const Brought& b) { return a.event > b.event; });
  return found;
}

std::optional<Time> EventLog::FirstRefused(propagation::OpId op, int output, int factor,
                                           int tensor) const {
  std::optional<Time> time = recorder_.FirstRefused(op, output, factor, tensor);
  if (time) time->step += first_step_;
  return time;
}

Endpoint EventLog::TensorOf(propagation::OpId op, int output, int t, int dim) const {
  if (op == kNone) {
    const ValueId value = numbered().outputs()[static_cast<size_t>(output)].value;
    return t == 0 ? Endpoint{SlotOf(value), value, t, dim}
                  : Endpoint{SlotOfOutput(output), kNone, t, dim};
  }
  const propagation::EdgeId edge = numbered().edge(op);
  ValueId value = kNone;
  if (edge == kNone) {
    value = numbered().tensors(op)[static_cast<size_t>(t)];
  } else {
    const propagation::EdgeSpec& spec = numbered().edges()[static_cast<size_t>(edge)];
    const bool is_source = static_cast<size_t>(t) < spec.sources.size();
    value = is_source ? spec.sources[static_cast<size_t>(t)] : spec.result;
  }
  return {SlotOf(value), value, t, dim};
}

const factors::OpShardingRule* EventLog::RuleOf(propagation::OpId op) const {
  const factors::RuleId rule = run_->result().rules[static_cast<size_t>(op)];
  return rule == factors::kNoRule ? nullptr : &(*rules_)[rule];
}

}  // namespace tessera::sharding::explain
