// File: visit_filter.h
//
// VisitFilter: which steps need not be taken, since they would move nothing.
//
//   VisitFilter quiet(program.num_ops());
//   quiet.SetIdle(op, directions_that_mean_nothing_to_its_rule);
//   quiet.Disturb(op);                              // one of its tensors was written
//   quiet.SetQuiet(op, aggressive, directions);     // a step in these directions moved nothing
//   if (quiet.IsQuiet(op, aggressive, directions))  // another one would move nothing either
//
// A step that moved nothing will move nothing again while its tensors have the same shardings, the
// strategy is the same and no factor may move in a direction in which it could not before. Since
// it wakes nobody either, leaving it out changes nothing, the order of all others included. So for
// each op and strategy this holds the directions of the last step that moved nothing
// (Directions::code(), a bit set). At the start, all directions: without any sharding there is
// nothing to move, and whoever gives a tensor a sharding disturbs the ops that read it. Five levels
// of op priority then cost little more than one.
//
// Two kinds of steps do not make an op quiet. One that wrote something: one value may stand at two
// operands. And one that moved axes which no tensor could express, so that nothing was written:
// with fewer directions these axes may be free for another factor.
//
// Some directions cannot move any factor of an op's rule: those of a kind of factors of which its rule has none that
// could move. Ops without a rule, and ops that are gone, have no others. In these an op is idle:
// always quiet.

#ifndef TESSERA_SHARDING_PROPAGATION_RUN_VISIT_FILTER_H_
#define TESSERA_SHARDING_PROPAGATION_RUN_VISIT_FILTER_H_

#include <array>
#include <cstdint>
#include <vector>

#include "tessera/sharding/propagation/program.h"

namespace tessera::sharding::propagation {

class VisitFilter {
 public:
  static constexpr uint8_t kEveryDirection = 0x0f;

  explicit VisitFilter(int num_ops)
      : quiet_{std::vector<uint8_t>(num_ops, kEveryDirection),
               std::vector<uint8_t>(num_ops, kEveryDirection)},
        idle_(num_ops, kEveryDirection) {}

  // Directions are codes throughout.
  bool IsQuiet(OpId o, bool aggressive, uint8_t directions) const {
    return (directions & ~quiet_[aggressive][o]) == 0;
  }
  // The same, and the op has been met.
  bool CanSkip(OpId o, bool aggressive, uint8_t directions) const {
    return IsQuiet(o, aggressive, directions | kMet);
  }
  uint8_t idle(OpId o) const { return idle_[o]; }

  void SetQuiet(OpId o, bool aggressive, uint8_t directions) {
    quiet_[aggressive][o] = static_cast<uint8_t>(directions | idle_[o] | kMet);
  }
  // Takes the place of what was set before; the op stays as quiet as it is.
  void SetIdle(OpId o, uint8_t directions) {
    idle_[o] = directions;
    for (std::vector<uint8_t>& quiet : quiet_) quiet[o] |= directions;
  }
  void Disturb(OpId o) {
    for (std::vector<uint8_t>& quiet : quiet_) quiet[o] &= kMet | idle_[o];
  }

  // Whether the op has been looked at, so that its rule is known and it was alive.
  bool met(OpId o) const { return (quiet_[0][o] & kMet) != 0; }
  void SetMet(OpId o) {
    for (std::vector<uint8_t>& quiet : quiet_) quiet[o] |= kMet;
  }
  // It has to be looked at again.
  void Forget(OpId o) {
    for (std::vector<uint8_t>& quiet : quiet_) quiet[o] &= kEveryDirection;
  }

 private:
  static constexpr uint8_t kMet = 0x10;  // one more bit in quiet_

  std::array<std::vector<uint8_t>, 2> quiet_;  // by strategy, then op
  std::vector<uint8_t> idle_;                  // by op
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_RUN_VISIT_FILTER_H_
