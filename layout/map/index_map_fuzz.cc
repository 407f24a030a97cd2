// Random small layouts, through the fast engines and the slow one.
//
// Each byte of the input decides one thing: rank, sizes, order, tiles, tail. A difference stops the
// program with both in the message.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tessera/layout/shape.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/testing/layout/fuzz_choices.h"
#include "tessera/testing/layout/map_checks.h"

namespace tessera::layout {
namespace {

constexpr int64_t kMaxSlots = 1 << 14;

Tile MakeTile(Choices& choose) {
  Tile tile;
  const int64_t rank = 1 + choose.Below(4);
  for (int64_t i = 0; i < rank; ++i) {
    const bool star = choose.Below(4) == 3 && i + 1 < rank;
    const int64_t entry = 1 + choose.Below(5);
    tile.dims.push_back(star ? Tile::kCombine : entry);
  }
  return tile;
}

Shape MakeShape(Choices& choose) {
  const int64_t rank = choose.Below(5);
  std::vector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i) dims.push_back(choose.Below(7));
  Layout layout = Layout::Ascending(rank);
  choose.Shuffle(&layout.minor_to_major);
  const int64_t tiles = choose.Below(4);
  for (int64_t i = 0; i < tiles; ++i) layout.tiles.push_back(MakeTile(choose));
  layout.tail_alignment = 1 + choose.Below(8);
  return Shape::Array(ElementType::kU8, dims, std::move(layout));
}

void Check(const uint8_t* data, size_t size) {
  Choices choose(data, size);
  const Shape shape = MakeShape(choose);
  const absl::StatusOr<MemorySizes> sizes = SizesOf(shape);
  if (sizes.ok() && sizes->total_elements > kMaxSlots) return;
  const std::string difference = CheckAgainstSlowMap(shape);
  if (difference.empty()) return;
  std::fprintf(stderr, "%s\n", difference.c_str());
  std::abort();
}

}  // namespace
}  // namespace tessera::layout

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tessera::layout::Check(data, size);
  return 0;
}
