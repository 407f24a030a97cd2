// A square: loop a runs over adjacent elements of the source, loop b of the destination, and each
// goes on where the other ends. Element (i, j) lies at place j*p + i of the source and at i*q + j
// of the destination. So p*q elements are adjacent on both sides; only their order differs.
//
// Nibbles: of each loop over 4-bit elements the lowest binary digit is split off. What is left runs
// over whole bytes; the digits say where the partners lie.
//
// Tested by fold_test.cc.

#include "tessera/layout/relayout/plan/fold.h"

#include <algorithm>
#include <cstdint>

namespace tessera::layout::relayout {
namespace {

constexpr int64_t kMaxBits = 128;

Loops::iterator WithStride(int64_t Loop::*side, int64_t stride, Loops* loops) {
  return std::find_if(loops->begin(), loops->end(),
                      [&](const Loop& loop) { return loop.*side == stride; });
}

bool IsPowerOfTwo(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

// p rows of q elements, `width` bytes each, as places of 16 bytes.
std::array<uint8_t, 16> ShuffleOf(int64_t p, int64_t q, int64_t width) {
  std::array<uint8_t, 16> shuffle{};
  const int64_t whole = p * q * width;
  for (int64_t b = 0; b < 16; ++b) {
    const int64_t place = b % whole / width, i = place / q, j = place % q;
    shuffle[b] = static_cast<uint8_t>(b / whole * whole + (j * p + i) * width + b % width);
  }
  return shuffle;
}

// Takes the lowest binary digit of the loop whose stride on `side` is 4 bits.
std::optional<Loop> TakePair(int64_t Loop::*side, Loops* loops) {
  const auto loop = WithStride(side, 4, loops);
  if (loop == loops->end() || loop->extent % 2 != 0) return std::nullopt;
  const Loop pair{2, loop->src, loop->dst};
  *loop = {loop->extent / 2, 2 * loop->src, 2 * loop->dst};
  if (loop->extent == 1) loops->erase(loop);
  return pair;
}

}  // namespace

std::optional<FoldedSquare> FoldSquare(const Nest& nest) {
  FoldedSquare folded{nest, {}};
  Loops& loops = folded.nest.loops;
  const int64_t bits = nest.src_bits;
  const auto columns = WithStride(&Loop::src, bits, &loops);
  const auto rows = WithStride(&Loop::dst, bits, &loops);
  if (columns == loops.end() || rows == loops.end() || columns == rows) return std::nullopt;
  const Loop a = *columns, b = *rows;
  if (b.src != a.extent * bits || a.dst != b.extent * bits) return std::nullopt;
  if (a.extent > kMaxBits || b.extent > kMaxBits) return std::nullopt;
  const int64_t whole = a.extent * b.extent * bits;
  if (whole > kMaxBits || !IsPowerOfTwo(whole)) return std::nullopt;
  loops.erase(std::remove_if(loops.begin(), loops.end(),
                             [&](const Loop& loop) { return loop == a || loop == b; }),
              loops.end());
  folded.nest.src_bits = folded.nest.dst_bits = whole;
  folded.shuffle = ShuffleOf(a.extent, b.extent, bits / 8);
  return folded;
}

std::optional<FoldedNibbles> FoldNibbles(const Nest& nest) {
  const bool from4 = nest.src_bits == 4, to4 = nest.dst_bits == 4;
  if ((!from4 && nest.src_bits != 8) || (!to4 && nest.dst_bits != 8)) return std::nullopt;
  FoldedNibbles folded{nest, {}};
  Loop low{1, 0, 0}, halves{1, 0, 0};
  if (to4) {
    const auto pair = TakePair(&Loop::dst, &folded.nest.loops);
    if (!pair.has_value() || pair->src % 8 != 0) return std::nullopt;
    low = *pair;
  }
  if (from4) {
    const auto pair = TakePair(&Loop::src, &folded.nest.loops);
    if (!pair.has_value() || pair->dst % 8 != 0) return std::nullopt;
    halves = *pair;
  }
  folded.nest.src_bits = folded.nest.dst_bits = 8;
  if (!InWholeBytes(folded.nest)) return std::nullopt;
  folded.staging.kind = to4 ? StageKind::kPair : StageKind::kHalf;
  folded.staging.apart = low.src / 8;
  folded.staging.halves = from4 ? 2 : 1;
  folded.staging.dst_apart = halves.dst / 8;
  return folded;
}

}  // namespace tessera::layout::relayout
