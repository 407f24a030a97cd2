// A reshape cuts both shapes into factors, from the major end on, such that as many factors as
// possible are common to both:
//
//   [4, 12] -> [4, 2, 3, 2]     operand i j k l, where jkl is the 12      ([i, jkl])->([i, j, k,
//   l])
//
// Two walkers go along the two shapes. Each knows how far the factors that it made reach ("made",
// a product of sizes). While both stand at the same place, the greatest common divisor of what is
// left of their dimensions is a factor of both. If that is 1, both take all that is left of their
// dimension, and stand apart. What the operand takes is a factor of both, of the operand's size:
// the blocks of the two sides only overlap, so it is a permutation.
//
//   [15, 4] -> [6, 10]          i=3 is common to both; 5 and 2 are left of the first dimensions,
//                               j=5 (permutation): now 15 and 6 elements are made
//
// The one after then makes factors of its own, which need replication, until they meet. It jumps
// to the place of the other if that is possible. If not, it goes as far as it can while leaving the
// common divisor of the two rests for the next round:
//
//                               10 are left of the result's dimension. Keeping gcd(4, 10) = 2 back,
//                               k = 5: 30 made. Now the operand is after: l = 30 / 15 = 2 and
//                               both stand at 30; m = 2 is common again: ([ij, lm])->([ij, km])
//
// Without unaligned_reshapes_permute each side has a factor of its own in the place of the
// permutation, and what one side has alone is passed through: ([ij, mn])->([ik, ln]).
//
// Dimensions of size 1 have a factor of their own and never stand in anybody's way.
//
// Linear in the number of factors, which is at most logarithmic in the number of elements. Tested
// in reshape_test.cc.

#include <numeric>

#include "tessera/sharding/rules/families.h"

namespace tessera::sharding::rules {
namespace {

// The way along one shape.
class Walker {
 public:
  explicit Walker(Dims shape) : shape_(shape) {}

  bool done() const { return dim_ == static_cast<int64_t>(shape_.size()); }
  bool at_size_one() const { return !done() && shape_[dim_] == 1; }
  int64_t dim() const { return done() ? kNone : dim_; }
  int64_t made() const { return made_; }
  // The rest of the current dimension.
  int64_t left() const { return entered_ / made_; }

  void Skip() { ++dim_; }
  void EnterIfBetweenDims() {
    if (!done() && entered_ == made_) entered_ *= shape_[dim_];
  }
  void Make(int64_t factor) { made_ *= factor; }
  void LeaveIfFinished() {
    if (!done() && entered_ == made_) ++dim_;
  }

  // The factor for one that stands after `other`; `common` divides the rests of both.
  int64_t StepTowards(const Walker& other, int64_t common) const {
    if (other.made() % made_ == 0 && left() % (other.made() / made_) == 0) {
      return other.made() / made_;
    }
    return left() > common ? left() / common : left();
  }

 private:
  Dims shape_;
  int64_t dim_ = 0;
  int64_t entered_ = 1;  // product of the dimensions entered so far
  int64_t made_ = 1;     // product of the factors made so far
};

class Splitter {
 public:
  Splitter(const OpView& op, bool permutes)
      : builder_(op),
        in_(OperandDims(op, 0)),
        out_(ResultDims(op, 0)),
        permutes_(permutes),
        of_one_side_(permutes ? kNeedReplication : kPassThrough) {}

  MaybeRule Split() {
    while (!in_.done() || !out_.done()) Step();
    return builder_.Build();
  }

 private:
  void Step() {
    if (in_.at_size_one()) return MakeIn(1), in_.Skip();
    if (out_.at_size_one()) return MakeOut(1), out_.Skip();
    in_.EnterIfBetweenDims();
    out_.EnterIfBetweenDims();
    const int64_t common = std::gcd(in_.left(), out_.left());
    if (in_.made() == out_.made()) {
      StepTogether(common);
    } else if (in_.made() < out_.made()) {
      MakeIn(in_.StepTowards(out_, common));
    } else {
      MakeOut(out_.StepTowards(in_, common));
    }
    in_.LeaveIfFinished();
    out_.LeaveIfFinished();
  }

  void StepTogether(int64_t common) {
    if (common > 1) {
      builder_.Factor({in_.dim()}, {out_.dim()}, common);
      in_.Make(common);
      out_.Make(common);
    } else if (permutes_) {
      builder_.Factor({in_.dim()}, {out_.dim()}, in_.left(), kPermutation);
      in_.Make(in_.left());
      out_.Make(out_.left());
    } else {
      MakeIn(in_.left());
      MakeOut(out_.left());
    }
  }
  void MakeIn(int64_t factor) {
    builder_.Factor({in_.dim()}, {kNone}, factor, of_one_side_);
    in_.Make(factor);
  }
  void MakeOut(int64_t factor) {
    builder_.Factor({kNone}, {out_.dim()}, factor, of_one_side_);
    out_.Make(factor);
  }

  RuleBuilder builder_;
  Walker in_;
  Walker out_;
  const bool permutes_;
  const FactorKind of_one_side_;
};

}  // namespace

// A reshape of nothing has no rule. Nor has one that loses elements, which no valid module holds
// and whose walkers would never meet.
MaybeRule ReshapeRule(const OpView& op, const RuleMode& mode) {
  const std::optional<int64_t> elements = op.operands[0]->NumElements();
  if (elements.value_or(0) == 0 || elements != op.results[0]->NumElements()) return std::nullopt;
  return Splitter(op, mode.behaviors.unaligned_reshapes_permute).Split();
}

}  // namespace tessera::sharding::rules
