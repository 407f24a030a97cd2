// Random numbers. HLO leaves the generators open, so these are ours: a hash of the place in the
// stream. They agree with themselves, block by block and device by device, and with nobody else.
#include <cmath>

#include "tessera/testing/evaluator/kernel.h"

namespace tessera::testing::evaluator {
namespace {

uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

double Unit(uint64_t seed) { return std::ldexp(static_cast<double>(Mix(seed) >> 11), -53); }

double Normal(uint64_t seed) {
  return std::sqrt(-2 * std::log(1 - Unit(seed))) * std::cos(2 * M_PI * Unit(~seed));
}

}  // namespace

// Operands: low and high, or mean and deviation.
absl::StatusOr<Value> Rng(const Op& op) {
  const auto words = hlo::GetWords(op.module, op.id, AttributeName::kDistribution);
  const bool normal = !words.empty() && words[0] == "rng_normal";
  Array out = op.Out();
  const Cell &a = op.in(0).cells[0], &b = op.in(1).cells[0];
  for (int64_t i = 0; i < out.size(); ++i) {
    const uint64_t place = static_cast<uint64_t>(i);
    const double unit = normal ? Normal(place) : Unit(place);
    if (layout::IsFloat(out.type)) {
      out.cells[i] =
          Fit(out.type, {0, normal ? a.re + b.re * unit : a.re + (b.re - a.re) * unit, 0});
    } else {
      const uint64_t range = static_cast<uint64_t>(b.i) - static_cast<uint64_t>(a.i);
      const uint64_t step = range == 0 ? 0 : Mix(place) % range;
      out.cells[i] = Fit(out.type, {static_cast<int64_t>(static_cast<uint64_t>(a.i) + step), 0, 0});
    }
  }
  return out;
}

// (state, bits): the state moves on by the number of cells.
absl::StatusOr<Value> RngBitGenerator(const Op& op) {
  Value out = MakeValue(op.shape());
  const std::vector<Array*> leaves = Leaves(&out);
  Array& bits = *leaves.back();
  uint64_t seed = 0;
  for (const Cell& cell : op.in(0).cells) seed = Mix(seed ^ static_cast<uint64_t>(cell.i));
  for (int64_t i = 0; i < bits.size(); ++i)
    bits.cells[i] = CellOfBits(
        bits.type, Mix(seed + static_cast<uint64_t>(i)) >> (64 - layout::BitWidth(bits.type)));
  if (leaves.size() > 1) {
    *leaves[0] = op.in(0);
    Cell& last = leaves[0]->cells.back();
    last = Fit(leaves[0]->type, {last.i + bits.size(), 0, 0});
  }
  return out;
}

absl::StatusOr<Value> RngState(const Op& op) {
  Array out = op.Out();
  for (int64_t i = 0; i < out.size(); ++i)
    out.cells[i] = CellOfBits(out.type, Mix(static_cast<uint64_t>(i)));
  return out;
}

}  // namespace tessera::testing::evaluator
