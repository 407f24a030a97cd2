// The TPU rules are made from two facts. A register holds 8 rows of 128 lanes of 32 bits; narrower
// elements are packed, p = 32 / width of them from p neighbouring rows into one lane. So a tile is
// (rows,128) followed by (p,1), with a number of rows that is a power of two from p (twice that on
// v2 and v3) up to a full register. One-dimensional arrays fill the rows of a tile one after the
// other: (128*rows), then (128)(p,1). Scalars take the fewest rows.

#include "tessera/layout/tile_rules.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tessera/text/status_macros.h"

namespace tessera::layout {
namespace {

constexpr int64_t kLanes = 128;
constexpr int64_t kSublanes = 8;
constexpr int kLaneBits = 32;
constexpr int kWidths[] = {1, 2, 4, 8, 16, 32, 64, 128};

struct TpuOptions {
  bool min2 = false;
  bool large = false;
};

std::vector<int64_t> TpuRows(int64_t packing, const TpuOptions& options) {
  const int64_t fewest = packing * (options.min2 ? 2 : 1);
  std::vector<int64_t> rows;
  for (int64_t r = fewest; r < kSublanes; r *= 2) rows.push_back(r);
  rows.push_back(std::max(kSublanes, fewest));
  if (options.large && packing > 1) rows.push_back(kSublanes * packing);
  return rows;
}

TileChoice MakeChoice(absl::InlinedVector<Tile, 2> tiles, int width, int64_t packing,
                      bool pack_rows) {
  TileChoice choice{std::move(tiles), width < 8 ? width : 0};
  if (packing > 1 && pack_rows) choice.tiles.push_back(Tile{{packing, 1}});
  return choice;
}

void AddTpuRules(int width, const TpuOptions& options, std::vector<TileRule>* rules) {
  const int64_t packing = width < kLaneBits ? kLaneBits / width : 1;
  TileRule matrix{{width}, 2, std::numeric_limits<int64_t>::max(), {}};
  TileRule vector{{width}, 1, 1, {}};
  const std::vector<int64_t> all_rows = TpuRows(packing, options);
  for (int64_t rows : all_rows) {
    matrix.choices.push_back(MakeChoice({Tile{{rows, kLanes}}}, width, packing, true));
    absl::InlinedVector<Tile, 2> flat = {Tile{{rows * kLanes}}};
    if (packing > 1) flat.push_back(Tile{{kLanes}});
    vector.choices.push_back(MakeChoice(std::move(flat), width, packing, true));
  }
  const TileRule scalar{
      {width}, 0, 0, {MakeChoice({Tile{{all_rows[0] * kLanes}}}, width, packing, false)}};
  rules->insert(rules->end(), {matrix, vector, scalar});
}

absl::Status UnknownName(absl::string_view name) {
  return absl::InvalidArgumentError(
      absl::StrCat("unknown tile rules \"", name,
                   "\"; known are tpu (with +min2, +large), tile:AxB, none, or a file of rules"));
}

absl::StatusOr<TileRules> TpuRules(absl::string_view name) {
  TpuOptions options;
  std::vector<absl::string_view> parts = absl::StrSplit(name, '+');
  for (size_t i = 1; i < parts.size(); ++i) {
    if (parts[i] != "min2" && parts[i] != "large") return UnknownName(name);
    (parts[i] == "min2" ? options.min2 : options.large) = true;
  }
  TileRules rules{std::string(name), {}, kLaneBits};
  for (int width : kWidths) AddTpuRules(width, options, &rules.rules);
  return rules;
}

absl::StatusOr<TileRules> OneTile(absl::string_view name) {
  const std::vector<absl::string_view> sides =
      absl::StrSplit(absl::StripPrefix(name, "tile:"), 'x');
  Tile tile;
  for (absl::string_view side : sides) {
    int64_t size = 0;
    if (!absl::SimpleAtoi(side, &size) || size < 1) return UnknownName(name);
    tile.dims.push_back(size);
  }
  if (tile.dims.size() != 2) return UnknownName(name);
  TileRule rule;
  rule.choices.push_back({{tile}});
  return TileRules{std::string(name), {rule}};
}

}  // namespace

std::vector<TileChoice> TileRules::ChoicesFor(ElementType type, int64_t rank) const {
  const int width = type == ElementType::kPred ? 8 : BitWidth(type);
  std::vector<TileChoice> choices;
  for (const TileRule& rule : rules) {
    const bool width_fits =
        rule.widths.empty() || std::count(rule.widths.begin(), rule.widths.end(), width) > 0;
    if (!width_fits || rank < rule.min_rank || rank > rule.max_rank) continue;
    choices.insert(choices.end(), rule.choices.begin(), rule.choices.end());
  }
  if (choices.empty()) choices.emplace_back();
  return choices;
}

absl::StatusOr<TileRules> NamedTileRules(absl::string_view name) {
  if (name == "none" || name == "cpu" || name == "gpu") return TileRules{std::string(name), {}};
  if (name == "tpu" || absl::StartsWith(name, "tpu+")) return TpuRules(name);
  if (absl::StartsWith(name, "tile:")) return OneTile(name);
  return UnknownName(name);
}

}  // namespace tessera::layout
