#include "tessera/target/tpu/scattered_part.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/element_type.h"
#include "tessera/layout/sizes.h"
#include "tessera/sharding/partition/options.h"
#include "tessera/target/tpu/tpu_passes.h"
#include "tessera/text/checked.h"

namespace tessera::target {
namespace {

constexpr int64_t kMaxPieces = 256;
constexpr int64_t kMostChunks = 8;  // of a part in columns, for each chunk that it needs

bool IsOneDimension(uint64_t allowed) { return (allowed & (allowed - 1)) == 0; }

// Where the part lies with tiles of few rows, a product has the cut dimension for rows of whole ones, unless its
// readers ask for those few.
layout::Shape LaidInTiles(const ArraySizes& sizes, const layout::Shape& part,
                          MinorChoice preference, int64_t dimension) {
  layout::Shape laid = sizes.Laid(part, preference);
  if (RowsOfTile(laid) == kTileRows || part.dim(dimension) < kTileRows) return laid;
  if (laid.layout().minor_to_major[0] == dimension) return laid;
  if (IsOneDimension(preference.minor) && IsOneDimension(preference.second)) return laid;
  MinorChoice cut_in_rows;
  cut_in_rows.second = uint64_t{1} << dimension;
  return sizes.Laid(part, cut_in_rows);
}

int64_t ElementsOfTile(const layout::Shape& laid) { return kTileRows * ColumnsOfTile(laid); }

// So many units of so many tiles, in equal chunks.
int64_t UnitsInChunks(int64_t units, int64_t tiles, int64_t tiles_of_chunk, bool are_squares) {
  const int64_t even = (are_squares ? 2 : 1) * (2 / std::gcd(int64_t{2}, tiles));
  const int64_t most = std::max<int64_t>(tiles_of_chunk / (tiles * even), 1) * even;
  const int64_t chunks = CeilDiv(units, most);
  return chunks * RoundUp(CeilDiv(units, chunks), even);
}

bool AreSquares(const Target& target, const DeviceGroups::Groups& groups) {
  return absl::c_all_of(groups, [&](const std::vector<int64_t>& group) {
    return group.size() == 4 && absl::c_all_of(group, [&](int64_t device) {
             return sharding::partition::DifferAlongTwos(target.topology, group[0], device);
           });
  });
}

bool IsTypeOfSums(layout::ElementType type) {
  return type == layout::ElementType::kF32 || type == layout::ElementType::kBf16;
}

// A part in columns is exchanged in equal chunks of its rows of tiles, without padding. Three times the tiles that all
// devices have of a chunk must fit the buffers, so a number of chunks is needed; up to eight times as many may be used.
bool HasEqualChunks(const Target& target, const ScatteredPart& part, int64_t devices) {
  const int64_t tiles_of_row = part.size() / kTileColumns;
  const int64_t rows = TilesOf(part.laid) / tiles_of_row;
  const int64_t most = TilesOfChunks(*target.chip) / (3 * devices * tiles_of_row);
  const int64_t needed = CeilDiv(rows, std::max<int64_t>(most, 1));
  for (int64_t chunks = needed; chunks <= kMostChunks * needed; ++chunks) {
    if (rows % chunks == 0) return true;
  }
  return false;
}

// By half of the whole sum at most, of a part in one piece.
bool PadsLittle(const Target& target, const ScatteredPart& part,
                const DeviceGroups::Groups& groups) {
  const int64_t padded = PaddedElements(target, part, groups);
  if (!part.cuts_rows()) return 2 * padded <= 3 * CutElements(part);
  const auto devices = static_cast<int64_t>(groups[0].size());
  const int64_t row = *part.laid.NumElements() / part.size();
  return 2 * padded * devices <= 3 * RoundUp(part.size() * devices, kTileRows) * row;
}

}  // namespace

bool IsWholeWithEqualSides(const Target& target, int64_t group) {
  if (group != target.slice_devices()) return false;
  std::vector<int64_t> sides;
  absl::c_copy_if(target.topology, std::back_inserter(sides),
                  [](int64_t side) { return side > 1; });
  absl::c_sort(sides);
  const auto twice = absl::c_adjacent_find(sides);
  return twice != sides.end() && (sides.size() > 2 || *twice >= 4);
}

bool IsScattered(const Target& target, const ScatteredPart& part,
                 const DeviceGroups::Groups& groups) {
  if (!IsTypeOfSums(part.laid.element_type()) || part.pieces > kMaxPieces) return false;
  if (RowsOfTile(part.laid) != kTileRows || TilesOf(part.laid) < 2) return false;
  const int64_t size = part.size();
  const int64_t in_word = 32 / layout::BitWidth(part.laid.element_type());
  if (part.place == 0) {
    return size % (kTileColumns * in_word) == 0 &&
           HasEqualChunks(target, part, static_cast<int64_t>(groups[0].size()));
  }
  if (part.pieces == 1) return PadsLittle(target, part, groups);
  return part.place == 1 && size % (kTileRows * in_word) == 0;
}

int64_t ColumnsOfTile(const layout::Shape& laid) {
  return std::min(laid.dim(laid.layout().minor_to_major[0]), kTileColumns);
}

int64_t RowsOfTile(const layout::Shape& laid) {
  return laid.layout().tiles.empty() ? 1 : laid.layout().tiles[0].dims[0];
}

int64_t TilesOf(const layout::Shape& laid) {
  const auto& order = laid.layout().minor_to_major;
  int64_t tiles = RoundUp(laid.dim(order[0]), kTileColumns) / kTileColumns *
                  (RoundUp(laid.dim(order[1]), kTileRows) / kTileRows);
  for (int64_t p = 2; p < laid.rank(); ++p) tiles *= laid.dim(order[p]);
  return tiles;
}

int64_t TiledElements(const layout::Shape& laid) {
  const auto sizes = layout::SizesOf(laid);
  return sizes.ok() ? sizes->expanded_elements : laid.NumElements().value_or(0);
}

MinorChoice PreferenceOfSum(const LayoutPreferences& preferences, const hlo::Module& module,
                            hlo::InstructionId x) {
  const bool is_free = module.instruction(x).opcode == hlo::Opcode::kDot &&
                       hlo::GetDotDimensions(module, x).lhs_batch.empty();
  return is_free ? MinorChoice() : preferences.Of(module.shape(x));
}

ScatteredPart LaidPart(const ArraySizes& sizes, const layout::Shape& part, MinorChoice preference,
                       int64_t dimension) {
  ScatteredPart scattered;
  scattered.laid = LaidInTiles(sizes, part, preference, dimension);
  const auto& order = scattered.laid.layout().minor_to_major;
  scattered.place = absl::c_find(order, dimension) - order.begin();
  for (int64_t p = std::max<int64_t>(scattered.place + 1, 2); p < part.rank(); ++p) {
    scattered.pieces *= part.dim(order[p]);
  }
  return scattered;
}

int64_t CutElements(const ScatteredPart& part) {
  return part.cuts_rows() ? *part.laid.NumElements()
                          : TilesOf(part.laid) * ElementsOfTile(part.laid);
}

int64_t ElementsInChunks(const ScatteredPart& part, int64_t tiles_of_chunk, bool are_squares) {
  const int64_t tiles = TilesOf(part.laid);
  if (!part.cuts_rows()) {
    return UnitsInChunks(tiles, 1, tiles_of_chunk, are_squares) * ElementsOfTile(part.laid);
  }
  const int64_t rows = CeilDiv(part.size(), kTileRows);
  const int64_t padded = UnitsInChunks(rows, tiles / rows, tiles_of_chunk, are_squares) * kTileRows;
  return *part.laid.NumElements() / part.size() * padded;
}

int64_t PaddedElements(const Target& target, const ScatteredPart& part,
                       const DeviceGroups::Groups& groups) {
  const auto devices = static_cast<int64_t>(groups[0].size());
  return ElementsInChunks(part, TilesOfChunks(*target.chip) / (devices + 4),
                          AreSquares(target, groups));
}

}  // namespace tessera::target
