#include "tessera/target/tpu/scattered_part.h"

#include <algorithm>
#include <numeric>

#include "absl/algorithm/container.h"
#include "tessera/text/checked.h"

namespace tessera::target {
namespace {

// Where the part lies with tiles of few rows, a product has the cut dimension for rows of whole ones.
layout::Shape LaidInTiles(const ArraySizes& sizes, const layout::Shape& part, MinorChoice wish,
                          int64_t dimension) {
  layout::Shape laid = sizes.Laid(part, wish);
  if (RowsOfTile(laid) == kTileRows || part.dim(dimension) < kTileRows) return laid;
  if (laid.layout().minor_to_major[0] == dimension) return laid;
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

}  // namespace

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

ScatteredPart LaidPart(const ArraySizes& sizes, const layout::Shape& part, MinorChoice wish,
                       int64_t dimension) {
  ScatteredPart scattered;
  scattered.laid = LaidInTiles(sizes, part, wish, dimension);
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

}  // namespace tessera::target
