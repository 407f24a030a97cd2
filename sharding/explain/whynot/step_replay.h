// StepReplay: a step of an op, done once more to see what it refuses and why.
//
//   StepReplay replay(log, links, options, actor, EventLog::kEnd, -1);   // as propagation left it
//   replay.mesh_state();             // no step unless kCommon
//   replay.compatible_axes(factor);  // the axes on which the tensors agree
//   replay.stops(); replay.cuts();   // what was refused
//   replay.before(); replay.after(); // the tensors' factors
//
// After propagation no step changes anything; what it would take is refused by one of its cuts.
// Replayed as of an event that it caused, it shows who won and why.
//
// Cost: that of a step. Tested by why_not_test.cc.

#ifndef TESSERA_SHARDING_EXPLAIN_WHYNOT_STEP_REPLAY_H_
#define TESSERA_SHARDING_EXPLAIN_WHYNOT_STEP_REPLAY_H_

#include <vector>

#include "tessera/sharding/explain/whynot/op_links.h"
#include "tessera/sharding/factors/projection.h"
#include "tessera/sharding/propagation/observer.h"
#include "tessera/sharding/propagation/options.h"
#include "tessera/sharding/propagation/step/step_mode.h"

namespace tessera::sharding::explain {

class StepReplay : private propagation::Observer {
 public:
  // The actor must have a rule. `level`: of op priority, -1 for all that may ever move.
  StepReplay(const EventLog& log, const OpLinks& links, const propagation::Options& options,
             Actor actor, int32_t bound, int level);

  MeshState mesh_state() const { return mesh_state_; }
  const propagation::Options& options() const { return options_; }
  const propagation::StepMode& mode() const { return mode_; }
  const factors::OpShardingRule& rule() const { return rule_; }
  // With kCommon only:
  const Mesh& mesh() const { return before_.mesh(); }
  const factors::FactorTable& before() const { return before_; }
  const factors::FactorTable& after() const { return after_; }
  const AxisList& compatible_axes(int factor) const {
    return compatible_axes_[static_cast<size_t>(factor)];
  }
  const std::vector<propagation::FoldStop>& stops() const { return stops_; }
  const std::vector<propagation::Cut>& cuts() const { return cuts_; }
  // Best first; those that want something.
  const std::vector<propagation::RankedFactor>& order() const { return order_; }

 private:
  void OnCompatibleAxes(int factor, absl::Span<const AxisRef> axes) override;
  void OnFoldStop(const propagation::FoldStop& stop) override { stops_.push_back(stop); }
  void OnOrder(absl::Span<const propagation::RankedFactor> order) override;
  void OnCut(const propagation::Cut& cut) override { cuts_.push_back(cut); }

  const propagation::Options& options_;
  const factors::OpShardingRule& rule_;
  propagation::StepMode mode_;
  factors::FactorTable before_;
  factors::FactorTable after_;
  MeshState mesh_state_;
  std::vector<AxisList> compatible_axes_;
  std::vector<propagation::FoldStop> stops_;
  std::vector<propagation::Cut> cuts_;
  std::vector<propagation::RankedFactor> order_;
};

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_WHYNOT_STEP_REPLAY_H_
