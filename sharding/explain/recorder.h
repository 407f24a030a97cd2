// Recorder: an observer that keeps the data of an EventLog.
//
//   Recorder recorder;
//   auto sharded = pipeline::Propagate(module, options, &recorder);
//   const pipeline::PropagatedModule& s = **sharded;
//   EventLog log(*s.program, *s.run, s.book->table, std::move(recorder));
//
// Cost: a copy of the factor table for each step, and memory for each change.
// Tested by event_log_test.cc.

#ifndef TESSERA_SHARDING_EXPLAIN_RECORDER_H_
#define TESSERA_SHARDING_EXPLAIN_RECORDER_H_

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/sharding/explain/event.h"
#include "tessera/sharding/factors/projection.h"
#include "tessera/sharding/propagation/observer.h"

namespace tessera::sharding::explain {

struct RecordedWrite {
  propagation::WriteEvent write;
  propagation::Phase phase;
  int64_t steps_before = 0;  // changed steps that ended before
  bool in_step = false;
};

class Recorder : public propagation::Observer {
 public:
  bool WantsIdleSteps() const override { return false; }
  void OnPhase(const propagation::Phase& phase) override { phase_ = phase; }
  void OnStep(const propagation::StepEvent& event) override;
  void OnFoldStop(const propagation::FoldStop& stop) override;
  void OnCut(const propagation::Cut& cut) override;
  void OnTake(int tensor, int factor, absl::Span<const AxisRef> axes) override;
  void OnWrite(const propagation::WriteEvent& write) override;
  void OnStepEnd(bool changed) override;

  const std::vector<RecordedWrite>& writes() const { return writes_; }
  // Steps that changed something; their numbers count from 0.
  const std::vector<Step>& steps() const { return steps_; }

  // When axes for `factor` of the op (or, with op kNone, of the output) were first refused to
  // `tensor`; the number of the step is that of the changed step at hand or next.
  std::optional<Time> FirstRefused(propagation::OpId op, int output, int factor, int tensor) const;

 private:
  using Refusal = std::tuple<int32_t, int32_t, int32_t>;  // op or ~output, factor, tensor

  void NoteRefusal(int factor, int tensor);
  Time Now() const;

  propagation::Phase phase_;
  bool in_step_ = false;
  Step step_;                    // at hand
  factors::FactorTable before_;  // of that step
  std::vector<Step> steps_;
  std::vector<RecordedWrite> writes_;
  absl::flat_hash_map<Refusal, Time> first_refused_;
};

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_RECORDER_H_
