#include "tessera/sharding/propagation/step/step_configs.h"

#include "tessera/sharding/propagation/run/levels.h"

namespace tessera::sharding::propagation {
namespace {

Directions DirectionsAt(int level, OpPriorityClass flow, bool single_use) {
  return level == kAllLevels ? Directions::Every(Direction::kBoth)
                             : LevelDirections(level, flow, single_use);
}

}  // namespace

StepConfigs::StepConfigs(const NumberedProgram& program, const Liveness& liveness,
                         bool conservative)
    : liveness_(liveness), conservative_(conservative) {
  class_.reserve(program.num_ops());
  for (OpId o = 0; o < program.num_ops(); ++o) {
    class_.push_back(static_cast<uint8_t>(ClassOf(program, o)));
  }
}

size_t StepConfigs::ClassOf(const NumberedProgram& program, OpId o) {
  const OpKind kind = program.kind(o);
  if (kind == OpKind::kDataFlowEdge) return kEdges;
  if (kind == OpKind::kPropagationBarrier)
    return kBarriers + static_cast<size_t>(program.barrier(o));
  const OpTraits& traits = program.traits(o);
  return static_cast<size_t>(traits.flow) + kFlows * traits.element_wise;
}

void StepConfigs::Start(RunMode run) {
  for (size_t c = 0; c < kClasses; ++c) {
    ClassModes& modes = modes_[c];
    modes.single_use = ModeOf(c, run, /*single_use=*/true);
    modes.many_uses = ModeOf(c, run, /*single_use=*/false);
    modes.differ = modes.single_use.directions != modes.many_uses.directions;
    directions_[c] = modes.single_use.directions.code();
  }
}

StepMode StepConfigs::ModeOf(size_t op_class, RunMode run, bool single_use) const {
  StepMode mode;
  mode.aggressive = run.aggressive;
  if (op_class >= kBarriers) {
    mode.directions = Directions::Every(static_cast<Direction>(op_class - kBarriers));
    mode.element_wise = true;
  } else if (op_class == kEdges) {
    mode.directions = DirectionsAt(run.level, OpPriorityClass::kPassThrough, single_use);
  } else {
    const OpPriorityClass flow = static_cast<OpPriorityClass>(op_class % kFlows);
    mode.directions = DirectionsAt(run.level, flow, single_use);
    mode.element_wise = op_class >= kFlows;
    mode.conservative = conservative_;
  }
  return mode;
}

}  // namespace tessera::sharding::propagation
