#include "tessera/sharding/explain/whynot/step_replay.h"

#include "tessera/sharding/propagation/run/levels.h"
#include "tessera/sharding/propagation/step/aggressive_step.h"
#include "tessera/sharding/propagation/step/basic_step.h"

namespace tessera::sharding::explain {
namespace {

using propagation::Direction;
using propagation::Directions;
using propagation::kNone;
using propagation::OpKind;
using propagation::StepMode;

// As the engine steps the op in a run of that level.
StepMode ModeOf(const propagation::NumberedProgram& numbered, const propagation::Options& options,
                Actor actor, int level) {
  StepMode mode;
  mode.aggressive = options.strategy != propagation::Strategy::kBasic;
  mode.directions = Directions::Every(Direction::kBoth);
  if (actor.op == kNone) return mode;
  const OpKind kind = numbered.kind(actor.op);
  const OpTraits& traits = numbered.traits(actor.op);
  mode.element_wise = traits.element_wise || kind == OpKind::kPropagationBarrier;
  if (kind == OpKind::kPropagationBarrier) {
    mode.directions = Directions::Every(numbered.barrier(actor.op));
    return mode;
  }
  mode.conservative = options.conservative && kind != OpKind::kDataFlowEdge;
  if (level >= 0) {
    const propagation::OpPriorityClass flow =
        kind == OpKind::kDataFlowEdge ? propagation::OpPriorityClass::kPassThrough : traits.flow;
    mode.directions = propagation::LevelDirections(level, flow, /*single_use=*/true);
  }
  return mode;
}

}  // namespace

StepReplay::StepReplay(const EventLog& log, const OpLinks& links,
                       const propagation::Options& options, Actor actor, int32_t bound, int level)
    : options_(options),
      rule_(*links.RuleOf(actor)),
      mode_(ModeOf(log.numbered(), options, actor, level)),
      mesh_state_(links.Project(actor, bound, &before_)),
      compatible_axes_(static_cast<size_t>(rule_.num_factors())) {
  if (mesh_state_ != MeshState::kCommon) return;
  after_ = before_;
  std::vector<bool> updated(static_cast<size_t>(rule_.num_tensors()), false);
  if (mode_.aggressive) {
    propagation::AggressiveStep().Run(mode_, after_, updated, this);
  } else {
    BasicStep(mode_, after_, updated, this);
  }
}

void StepReplay::OnCompatibleAxes(int factor, absl::Span<const AxisRef> axes) {
  compatible_axes_[static_cast<size_t>(factor)].assign(axes.begin(), axes.end());
}

void StepReplay::OnOrder(absl::Span<const propagation::RankedFactor> order) {
  order_.assign(order.begin(), order.end());
}

}  // namespace tessera::sharding::explain
