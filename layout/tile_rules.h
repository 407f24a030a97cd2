// Which tiles a piece of hardware allows, by element width and rank.
//
//   StatusOr<TileRules> rules = NamedTileRules("tpu+large");
//   rules->ChoicesFor(ElementType::kBf16, 3);   // T(2,128)(2,1)  T(4,128)(2,1)  ... T(16,128)(2,1)
//   NamedTileRules("tile:32x32");               // one square tile for everything
//   NamedTileRules("none");                     // CPU, GPU: no tiles
//
// Users describe other hardware in a textproto (tile_rules_textproto.h).

#ifndef TESSERA_LAYOUT_TILE_RULES_H_
#define TESSERA_LAYOUT_TILE_RULES_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/layout/element_type.h"
#include "tessera/layout/tile.h"

namespace tessera::layout {

// One way to tile: the tiles and E of a layout.
struct TileChoice {
  absl::InlinedVector<Tile, 2> tiles;
  int64_t element_bits = 0;
};

struct TileRule {
  std::vector<int> widths;  // bits of the element types it is for, pred counting as 8; empty: all
  int64_t min_rank = 0;
  int64_t max_rank = std::numeric_limits<int64_t>::max();
  std::vector<TileChoice> choices;
};

struct TileRules {
  std::string name;
  std::vector<TileRule> rules;
  // Wider elements are really kept as several of this width, so that sizes are an estimate; 0:
  // none.
  int split_above_bits = 0;

  // The choices of every rule that fits; one choice without tiles if no rule does.
  std::vector<TileChoice> ChoicesFor(ElementType type, int64_t rank) const;
};

// "tpu" with any of the options "+min2" (older chips: no (1,128)) and "+large" (also the tall tiles
// of packed types), "tile:AxB" (A, B >= 1), or "none" with its other names "cpu" and "gpu". Error:
// InvalidArgument that lists these.
absl::StatusOr<TileRules> NamedTileRules(absl::string_view name);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_TILE_RULES_H_
