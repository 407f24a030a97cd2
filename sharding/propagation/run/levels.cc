#include "tessera/sharding/propagation/run/levels.h"

namespace tessera::sharding::propagation {
namespace {

// The directions that level `level` alone adds.
Directions Added(int level, OpPriorityClass flow, bool single_use) {
  const Direction wide =
      flow == OpPriorityClass::kBroadcast ? Direction::kBackward : Direction::kBoth;
  switch (level) {
    case 0:
    case 1:
      if (level == 0 && !single_use) return {};
      if (flow == OpPriorityClass::kPassThrough) return Directions::Every(Direction::kBoth);
      if (flow == OpPriorityClass::kPassThroughForward)
        return Directions::Every(Direction::kForward);
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

Directions LevelDirections(int level, OpPriorityClass flow, bool single_use) {
  Directions all;
  for (int l = 0; l <= level; ++l) all = Union(all, Added(l, flow, single_use));
  return all;
}

}  // namespace tessera::sharding::propagation
