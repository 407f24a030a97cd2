#include "tessera/sharding/propagation/levels.h"

namespace tessera::sharding::propagation {
namespace {

// What level `level` alone adds.
Directions Added(int level, FlowClass flow, bool single_use) {
  const Direction wide = flow == FlowClass::kBroadcast ? Direction::kBackward : Direction::kBoth;
  switch (level) {
    case 0:
    case 1:
      if (level == 0 && !single_use) return {};
      if (flow == FlowClass::kPassThrough) return Directions::Every(Direction::kBoth);
      if (flow == FlowClass::kPassThroughForward) return Directions::Every(Direction::kForward);
      return {};
    case 2:
      return {wide, Direction::kNone};
    case 3:
      return Directions::Every(wide);
    default:
      return Directions::Every(Direction::kBoth);
  }
}

}  // namespace

Directions LevelDirections(int level, FlowClass flow, bool single_use) {
  Directions all;
  for (int l = 0; l <= level; ++l) all = Union(all, Added(l, flow, single_use));
  return all;
}

}  // namespace tessera::sharding::propagation
