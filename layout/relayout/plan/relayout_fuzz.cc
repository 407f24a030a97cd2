// Random pairs of small layouts: the engine's bytes must be the slow map's.
//
// Each byte of the input decides one thing: type, rank, sizes, permutation, for 4 bits which side
// is packed, then for both sides order, tiles and tail, then the options.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tessera/layout/relayout/options.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/testing/layout/fuzz_choices.h"
#include "tessera/testing/layout/test_buffers.h"

namespace tessera::layout::relayout {
namespace {

constexpr int64_t kMaxSlots = 1 << 14;

struct Packing {
  ElementType type;
  int64_t bits;
};
constexpr Packing kPackings[] = {
    {ElementType::kU8, 0},  {ElementType::kBf16, 0}, {ElementType::kF32, 0},
    {ElementType::kC64, 0}, {ElementType::kC128, 0}, {ElementType::kS4, 4},
    {ElementType::kU2, 2},  {ElementType::kU1, 1},
};

Tile MakeTile(Choices& choose) {
  Tile tile;
  const int64_t rank = 1 + choose.Below(3);
  for (int64_t i = 0; i < rank; ++i) {
    const bool star = choose.Below(8) == 7 && i + 1 < rank;
    tile.dims.push_back(star ? Tile::kCombine : 1 + choose.Below(6));
  }
  return tile;
}

Layout MakeLayout(int64_t rank, int64_t bits, Choices& choose) {
  Layout layout = Layout::Ascending(rank);
  choose.Shuffle(&layout.minor_to_major);
  const int64_t tiles = choose.Below(4);
  for (int64_t i = 0; i < tiles; ++i) layout.tiles.push_back(MakeTile(choose));
  layout.tail_alignment = 1 + choose.Below(4);
  layout.element_bits = bits;
  return layout;
}

// Mostly small, sometimes long enough for the widest kernels.
int64_t MakeSize(Choices& choose) {
  const int64_t byte = choose.Below(256);
  return byte < 216 ? byte % 20 : 40 + 4 * (byte - 216) + byte % 3;
}

bool TooLarge(const Shape& shape) {
  const absl::StatusOr<MemorySizes> sizes = SizesOf(shape);
  return !sizes.ok() || sizes->total_elements > kMaxSlots;
}

void Check(const uint8_t* data, size_t size) {
  Choices choose(data, size);
  const Packing packing = kPackings[choose.Below(std::size(kPackings))];
  std::vector<int64_t> from(choose.Below(5));
  for (int64_t& dim : from) dim = MakeSize(choose);
  Options options;
  for (size_t i = 0; i < from.size(); ++i) options.perm.push_back(i);
  choose.Shuffle(&options.perm);
  std::vector<int64_t> to;
  for (const int64_t dim : options.perm) to.push_back(from[dim]);
  const auto rank = static_cast<int64_t>(from.size());
  int64_t src_bits = packing.bits, dst_bits = packing.bits;
  options.repack = packing.bits == 4;
  if (options.repack) {  // sometimes bytes on one side
    const int64_t unpacked = choose.Below(3);
    if (unpacked == 1) src_bits = 0;
    if (unpacked == 2) dst_bits = 0;
  }
  const Shape src = Shape::Array(packing.type, from, MakeLayout(rank, src_bits, choose));
  const Shape dst = Shape::Array(packing.type, to, MakeLayout(rank, dst_bits, choose));
  options.fill = static_cast<Fill>(choose.Below(3));
  options.fill_value = 0xa5a5c3c3e7e71981;
  options.streaming = choose.Below(2) == 0 ? Streaming::kAuto : Streaming::kAlways;
  if (TooLarge(src) || TooLarge(dst)) return;
  const std::string difference = CheckAgainstSlowMap(src, dst, options);
  if (difference.empty()) return;
  std::fprintf(stderr, "%s\n", difference.c_str());
  std::abort();
}

}  // namespace
}  // namespace tessera::layout::relayout

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tessera::layout::relayout::Check(data, size);
  return 0;
}
