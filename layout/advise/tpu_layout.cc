// The tiles come from the list of those that the hardware allows (tile_rules.h); this file picks the
// order of dimensions and one tile of the list.

#include "tessera/layout/tpu_layout.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tessera/layout/element_type.h"
#include "tessera/layout/layout.h"
#include "tessera/layout/tile.h"
#include "tessera/layout/tile_rules.h"
#include "tessera/text/checked.h"

namespace tessera::layout {
namespace {

constexpr TpuGeneration kGenerations[] = {
    {"tpu-v2", "tpu+min2", "", 8},   {"tpu-v3", "tpu+min2", "", 8},
    {"tpu-v4", "tpu", "tpu+large"},  {"tpu-v5e", "tpu", "tpu+large"},
    {"tpu-v5p", "tpu", "tpu+large"}, {"tpu-v6e", "tpu", "tpu+large"},
    {"tpu7x", "tpu", "tpu+large"},
};

constexpr int64_t kGranule = 512;  // bytes
constexpr int kWidestTall = 8;     // bits of an element whose tile may be tall
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

Checked RoundUp(int64_t n, int64_t unit) { return (Checked(n / unit) + (n % unit != 0)) * unit; }

// A pred is a byte.
int BitsOf(ElementType type) { return type == ElementType::kPred ? 8 : BitWidth(type); }

int64_t SizeOf(const TileChoice& choice) { return choice.tiles[0].dims[0]; }

// The smallest tile first.
using Choices = std::vector<TileChoice>;

// The first that covers `size`, else the largest.
const TileChoice& Covering(const Choices& choices, int64_t size) {
  for (const TileChoice& choice : choices) {
    if (SizeOf(choice) >= size) return choice;
  }
  return choices.back();
}

// The tiles of one element type.
struct TypeTiles {
  Choices scalar, vector, matrix;
  std::optional<TileChoice> tall;
};

TypeTiles MakeTiles(ElementType type, const TpuGeneration& generation) {
  if (BitsOf(type) < generation.narrowest_bits) type = ElementType::kS8;
  const TileRules rules = *NamedTileRules(generation.tiles);
  TypeTiles tiles = {rules.ChoicesFor(type, 0), rules.ChoicesFor(type, 1),
                     rules.ChoicesFor(type, 2), std::nullopt};
  if (generation.tall_tiles.empty() || BitsOf(type) > kWidestTall) return tiles;
  tiles.tall = NamedTileRules(generation.tall_tiles)->ChoicesFor(type, 2).back();
  return tiles;
}

// Made once in a thread, and kept.
const TypeTiles& TilesOf(ElementType type, const TpuGeneration& generation) {
  using Key =
      std::tuple<ElementType, int64_t, std::string, std::string>;  // texts last: rarely asked
  thread_local std::map<Key, TypeTiles> made;
  const auto [it, is_new] = made.try_emplace(
      Key(type, generation.narrowest_bits, generation.tiles, generation.tall_tiles));
  if (is_new) it->second = MakeTiles(type, generation);
  return it->second;
}

struct MinorPair {
  int64_t minor = 0, second = 0;
  Checked elements = 0;  // padding included
};

Checked ElementsWith(const Shape& array, const MinorPair& pair, const TypeTiles& tiles) {
  const Tile& tile = Covering(tiles.matrix, array.dim(pair.second)).tiles[0];
  Checked elements =
      RoundUp(array.dim(pair.second), tile.dims[0]) * RoundUp(array.dim(pair.minor), tile.dims[1]);
  for (int64_t d = 0; d < array.rank(); ++d) {
    if (d != pair.minor && d != pair.second) elements *= array.dim(d);
  }
  return elements;
}

bool Allows(const MinorChoice& allowed, const MinorPair& pair) {
  const auto has = [](uint64_t set, int64_t d) { return (set >> (d & 63) & 1) != 0; };
  return pair.minor != pair.second && has(allowed.minor, pair.minor) &&
         has(allowed.second, pair.second);
}

bool PadsLess(const MinorPair& a, const MinorPair& b) {
  return a.elements.ok() && (!b.elements.ok() || a.elements.value() < b.elements.value());
}

MinorPair BestPair(const Shape& array, const TypeTiles& tiles, MinorChoice allowed) {
  const int64_t last = array.rank() - 1;
  MinorPair best;  // of no dimension
  for (int64_t minor = last; minor >= 0; --minor) {
    for (int64_t second = last; second >= 0; --second) {
      MinorPair pair = {minor, second};
      if (!Allows(allowed, pair)) continue;
      pair.elements = ElementsWith(array, pair, tiles);
      if (best.minor == best.second || PadsLess(pair, best)) best = pair;
    }
  }
  return best.minor != best.second ? best : BestPair(array, tiles, {});
}

const TileChoice& TileFor(const Shape& array, const TypeTiles& tiles, int64_t second) {
  if (array.rank() == 0) return tiles.scalar[0];
  if (array.rank() == 1) return Covering(tiles.vector, array.dim(0));
  const int64_t size = array.dim(second);
  const bool is_tall = tiles.tall.has_value() && size > 0 && size % SizeOf(*tiles.tall) == 0;
  return is_tall ? *tiles.tall : Covering(tiles.matrix, size);
}

Shape WithTile(const Shape& array, Layout layout, const TileChoice& choice) {
  layout.tiles = choice.tiles;
  layout.element_bits = choice.element_bits;
  Shape laid = array;
  laid.set_layout(std::move(layout));
  return laid;
}

bool HasTiles(const Shape& array) {
  return array.is_array() && !array.has_unbounded_dim() && BitsOf(array.element_type()) > 0;
}

}  // namespace

const TpuGeneration& TpuGenerationOf(absl::string_view chip) {
  for (const TpuGeneration& generation : kGenerations) {
    if (generation.chip == chip) return generation;
  }
  return *std::rbegin(kGenerations);
}

Shape TpuLayoutOf(const Shape& array, const TpuGeneration& generation, MinorChoice allowed) {
  if (!HasTiles(array)) return array;
  const TypeTiles& tiles = TilesOf(array.element_type(), generation);
  Layout layout = Layout::Descending(array.rank());
  MinorPair best;
  if (array.rank() >= 2) {
    best = BestPair(array, tiles, allowed);
    auto& order = layout.minor_to_major;
    std::stable_partition(order.begin(), order.end(),
                          [&](int64_t d) { return d == best.minor || d == best.second; });
    order[0] = best.minor;
    order[1] = best.second;
  }
  return WithTile(array, std::move(layout), TileFor(array, tiles, best.second));
}

Shape TpuTilesFor(const Shape& array, const TpuGeneration& generation) {
  if (!HasTiles(array)) return array;
  Layout layout = Layout::Descending(array.rank());
  if (array.has_layout()) layout.minor_to_major = array.layout().minor_to_major;
  const int64_t second = array.rank() < 2 ? 0 : layout.minor_to_major[1];
  const TypeTiles& tiles = TilesOf(array.element_type(), generation);
  return WithTile(array, std::move(layout), TileFor(array, tiles, second));
}

int64_t TpuBytesOf(const Shape& array, const TpuGeneration& generation, MinorChoice allowed) {
  if (!HasTiles(array)) return 0;
  const TypeTiles& tiles = TilesOf(array.element_type(), generation);
  const Checked elements = array.rank() >= 2 ? BestPair(array, tiles, allowed).elements
                                             : RoundUp(array.rank() == 0 ? 1 : array.dim(0),
                                                       SizeOf(TileFor(array, tiles, 0)));
  const int64_t bits = std::max(BitsOf(array.element_type()), generation.narrowest_bits);
  const Checked all_bits = elements * bits;
  const Checked bytes = RoundUp(all_bits.value(), 8 * kGranule);
  return all_bits.ok() && bytes.ok() ? bytes.value() / 8 : kMost;
}

}  // namespace tessera::layout
