// Small layouts, each to each, through the engine and the slow map.
//
// One and two dimensions have all sizes 1 to 4, all orders, and no tile or one of up to two
// entries. An entry is up to 4 or a star; each such tile stands alone and in a pair with (2,1).
// Every one of these layouts meets every other. Three dimensions have all sizes 1 to 4, all orders,
// and kTilings. Types and permutations take turns, so each of them meets every kind of pair.

#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tessera/layout/relayout/options.h"
#include "tessera/layout/shape.h"
#include "tessera/testing/layout/small_layouts.h"
#include "tessera/testing/layout/test_buffers.h"

namespace tessera::layout::relayout {
namespace {

using Tilings = std::vector<std::vector<Tile>>;

struct Packing {
  ElementType type;
  int64_t bits;
};
constexpr Packing kPackings[] = {{ElementType::kU8, 0},
                                 {ElementType::kBf16, 0},
                                 {ElementType::kS4, 4},
                                 {ElementType::kF32, 0},
                                 {ElementType::kU1, 1}};

const int64_t kStar = Tile::kCombine;
const Tilings kTilings = {{},
                          {{{2}}},
                          {{{3}}},
                          {{{2, 2}}},
                          {{{2, 4}}},
                          {{{3, 2}}},
                          {{{2, 3, 2}}},
                          {{{kStar, 3}}},
                          {{{2, kStar, 3}}},
                          {{{4, 2}}, {{2, 1}}},
                          {{{2, 4}}, {{2, 1}}},
                          {{{4, 3}}, {{3, 2}}}};

Tilings AllTilings() {
  Tilings all = {{}};
  for (const Tile& tile : SmallTiles(2, 4)) {
    all.push_back({tile});
    all.push_back({tile, Tile{{2, 1}}});
  }
  return all;
}

std::vector<Layout> LayoutsOf(int64_t rank, const Tilings& tilings) {
  std::vector<Layout> layouts;
  for (Layout layout : AllOrders(rank)) {
    for (const std::vector<Tile>& tiles : tilings) {
      layout.tiles.assign(tiles.begin(), tiles.end());
      layouts.push_back(layout);
    }
  }
  return layouts;
}

// Every layout to every layout, for one list of sizes.
class Pairs {
 public:
  explicit Pairs(Tilings tilings) : tilings_(std::move(tilings)) {}

  void Check(const std::vector<int64_t>& dims) {
    const auto rank = static_cast<int64_t>(dims.size());
    const std::vector<Layout> layouts = LayoutsOf(rank, tilings_);
    const std::vector<Layout> orders = AllOrders(rank);
    for (const Layout& from : layouts) {
      for (const Layout& to : layouts) {
        ++count_;
        const Layout& perm = orders[count_ % orders.size()];
        ASSERT_NO_FATAL_FAILURE(CheckOne(dims, from, to, perm));
      }
    }
  }

 private:
  void CheckOne(const std::vector<int64_t>& dims, Layout from, Layout to, const Layout& perm) {
    const Packing packing = kPackings[count_ % std::size(kPackings)];
    from.element_bits = to.element_bits = packing.bits;
    Options options;
    options.perm.assign(perm.minor_to_major.begin(), perm.minor_to_major.end());
    options.fill = static_cast<Fill>(count_ / 2 % 3);
    options.fill_value = 0x5a;
    std::vector<int64_t> moved;
    for (const int64_t dim : options.perm) moved.push_back(dims[dim]);
    ASSERT_EQ(CheckAgainstSlowMap(Shape::Array(packing.type, dims, from),
                                  Shape::Array(packing.type, moved, to), options),
              "");
  }

  Tilings tilings_;
  int64_t count_ = 0;
};

TEST(SmallPairsTest, UpToTwoDimensions) {
  Pairs pairs(AllTilings());
  for (const auto& dims : SmallDims(2, 1, 4)) ASSERT_NO_FATAL_FAILURE(pairs.Check(dims));
}

TEST(SmallPairsTest, ThreeDimensions) {
  Pairs pairs(kTilings);
  for (const auto& dims : SmallDims(3, 1, 4)) {
    if (dims.size() < 3) continue;
    ASSERT_NO_FATAL_FAILURE(pairs.Check(dims));
  }
}

}  // namespace
}  // namespace tessera::layout::relayout
