// Which way shardings may travel between the operands and the results of an op.
//
//   Union(Direction::kForward, Direction::kBackward);  // kBoth
//
// The values are bit sets, so a union is one instruction.

#ifndef TESSERA_SHARDING_PROPAGATION_STEP_DIRECTION_H_
#define TESSERA_SHARDING_PROPAGATION_STEP_DIRECTION_H_

#include <cstdint>

namespace tessera::sharding::propagation {

enum class Direction : uint8_t {
  kNone = 0,
  kForward = 1,   // operands to results
  kBackward = 2,  // results to operands
  kBoth = 3,
};

constexpr Direction Union(Direction a, Direction b) {
  return static_cast<Direction>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}
// `a` allows everything that `b` allows.
constexpr bool Covers(Direction a, Direction b) { return Union(a, b) == a; }

// The directions of all factors of one op. Two are enough: whatever a priority level decides, it
// decides for the pass-through factors and for the other ones.
struct Directions {
  Direction pass_through = Direction::kNone;
  Direction other = Direction::kNone;

  static constexpr Directions Every(Direction d) { return {d, d}; }
  constexpr bool none() const {
    return pass_through == Direction::kNone && other == Direction::kNone;
  }
  static constexpr Directions FromCode(uint8_t code) {
    return {static_cast<Direction>(code / 4), static_cast<Direction>(code % 4)};
  }
  // 0 .. 15, a bit set, for tables and keys.
  constexpr uint8_t code() const {
    return static_cast<uint8_t>(static_cast<uint8_t>(pass_through) * 4 +
                                static_cast<uint8_t>(other));
  }
  friend constexpr bool operator==(Directions a, Directions b) { return a.code() == b.code(); }
  friend constexpr bool operator!=(Directions a, Directions b) { return !(a == b); }
};

constexpr Directions Union(Directions a, Directions b) {
  return {Union(a.pass_through, b.pass_through), Union(a.other, b.other)};
}
constexpr bool Covers(Directions a, Directions b) { return Union(a, b) == a; }

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_STEP_DIRECTION_H_
