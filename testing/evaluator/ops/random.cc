// Random numbers. HLO leaves the generators open, so these are ours: a hash of the place in the
// stream. They agree with themselves, block by block and device by device, and with nobody else.
#include <cmath>

#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/modules/scramble.h"

namespace tessera::testing::evaluator {
namespace {

double Unit(uint64_t seed) { return std::ldexp(static_cast<double>(Scramble(seed) >> 11), -53); }

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
  Cell* cells = out.cells.Data();
  for (int64_t i = 0; i < out.size(); ++i) {
    const uint64_t place = static_cast<uint64_t>(i);
    const double unit = normal ? Normal(place) : Unit(place);
    if (layout::IsFloat(out.type)) {
      cells[i] = Fit(out.type, {0, normal ? a.re + b.re * unit : a.re + (b.re - a.re) * unit, 0});
    } else {
      const uint64_t range = static_cast<uint64_t>(b.i) - static_cast<uint64_t>(a.i);
      const uint64_t step = range == 0 ? 0 : Scramble(place) % range;
      cells[i] = Fit(out.type, {static_cast<int64_t>(static_cast<uint64_t>(a.i) + step), 0, 0});
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
  for (int64_t i = 0; i < op.in(0).size(); ++i)
    seed = Scramble(seed ^ static_cast<uint64_t>(op.in(0).cells[i].i));
  for (int64_t i = 0; i < bits.size(); ++i)
    bits.cells[i] = CellOfBits(
        bits.type, Scramble(seed + static_cast<uint64_t>(i)) >> (64 - layout::BitWidth(bits.type)));
  if (leaves.size() > 1) {
    *leaves[0] = op.in(0);
    Cell& last = leaves[0]->cells[leaves[0]->size() - 1];
    last = Fit(leaves[0]->type, {last.i + bits.size(), 0, 0});
  }
  return out;
}

absl::StatusOr<Value> RngState(const Op& op) {
  Array out = op.Out();
  for (int64_t i = 0; i < out.size(); ++i)
    out.cells[i] = CellOfBits(out.type, Scramble(static_cast<uint64_t>(i)));
  return out;
}

}  // namespace tessera::testing::evaluator
