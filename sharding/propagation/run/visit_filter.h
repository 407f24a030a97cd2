// VisitFilter: which steps need not be taken, since they would move nothing.
//
//   VisitFilter filter(program.num_ops());
//   filter.SetIrrelevant(op, directions_that_mean_nothing_to_its_rule);
//   filter.Invalidate(op);                              // one of its tensors was written
//   filter.SetConverged(op, aggressive, directions);     // a step that way moved nothing
//   if (filter.IsConverged(op, aggressive, directions))  // another one would move nothing either
//
// A step that moved nothing will move nothing again under three conditions. Its tensors have the
// same shardings, the strategy is the same, and no factor may move in a direction in which it could
// not before. Since it wakes nobody either, leaving it out changes nothing, the order of all others
// included. So for each op and strategy this holds the directions of the last step that moved
// nothing (Directions::code(), a bit set). At the start, all directions: without any sharding there
// is nothing to move, and each write of a tensor's sharding invalidates the ops that read it. Five
// levels of op priority then cost little more than one.
//
// After two kinds of steps an op has not converged. One that wrote something: one value may stand
// at two operands. And one that moved axes which no tensor could express, so that nothing was
// written: with fewer directions these axes may be free for another factor.
//
// Some directions cannot move any factor of an op's rule: those of a kind of factors of which its
// rule has none that could move. Ops without a rule, and ops that are gone, have no others. These
// directions are irrelevant: the op has always converged in them.

#ifndef TESSERA_SHARDING_PROPAGATION_RUN_VISIT_FILTER_H_
#define TESSERA_SHARDING_PROPAGATION_RUN_VISIT_FILTER_H_

#include <array>
#include <cstdint>
#include <vector>

#include "tessera/sharding/propagation/numbered_program.h"

namespace tessera::sharding::propagation {

class VisitFilter {
 public:
  static constexpr uint8_t kEveryDirection = 0x0f;

  explicit VisitFilter(int num_ops)
      : converged_{std::vector<uint8_t>(num_ops, kEveryDirection),
                   std::vector<uint8_t>(num_ops, kEveryDirection)},
        irrelevant_(num_ops, kEveryDirection) {}

  // Directions are codes throughout.
  bool IsConverged(OpId o, bool aggressive, uint8_t directions) const {
    return (directions & ~converged_[aggressive][o]) == 0;
  }
  // The same, and the op has been visited.
  bool CanSkip(OpId o, bool aggressive, uint8_t directions) const {
    return IsConverged(o, aggressive, directions | kVisited);
  }
  uint8_t irrelevant(OpId o) const { return irrelevant_[o]; }

  void SetConverged(OpId o, bool aggressive, uint8_t directions) {
    converged_[aggressive][o] = static_cast<uint8_t>(directions | irrelevant_[o] | kVisited);
  }
  // Takes the place of what was set before; what has converged stays so.
  void SetIrrelevant(OpId o, uint8_t directions) {
    irrelevant_[o] = directions;
    for (std::vector<uint8_t>& converged : converged_) converged[o] |= directions;
  }
  void Invalidate(OpId o) {
    for (std::vector<uint8_t>& converged : converged_) converged[o] &= kVisited | irrelevant_[o];
  }

  // Whether the op has been looked at, so that its rule is known and it was alive.
  bool visited(OpId o) const { return (converged_[0][o] & kVisited) != 0; }
  void SetVisited(OpId o) {
    for (std::vector<uint8_t>& converged : converged_) converged[o] |= kVisited;
  }
  // It has to be looked at again.
  void ClearVisited(OpId o) {
    for (std::vector<uint8_t>& converged : converged_) converged[o] &= kEveryDirection;
  }

 private:
  static constexpr uint8_t kVisited = 0x10;  // one more bit in converged_

  std::array<std::vector<uint8_t>, 2> converged_;  // by strategy, then op
  std::vector<uint8_t> irrelevant_;                // by op
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_RUN_VISIT_FILTER_H_
