// The content of a picture of an array: slices of rows and columns, each cell a slot of memory.
//
// The space is the array in physical order, padded to whole tiles of its first tile, with ones in
// front up to rank 2. Dimensions that the first tile combines are one. f32[2,3,4]{2,1,0:T(2,2)} is
// two slices of 4 rows and 4 columns, with a border after every second row and column.

#ifndef TESSERA_LAYOUT_DRAW_DRAWN_SPACE_H_
#define TESSERA_LAYOUT_DRAW_DRAWN_SPACE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/layout/index_map.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/tiling.h"

namespace tessera::layout {

class DrawnSpace {
 public:
  // How much of a picture is drawn; the rest is counted.
  static constexpr int64_t kMaxRows = 64;
  static constexpr int64_t kMaxColumns = 64;
  static constexpr int64_t kMaxSlices = 8;

  // Errors: those of IndexMap::Create.
  static absl::StatusOr<DrawnSpace> Create(const Shape& array);

  const IndexMap& map() const { return map_; }
  // Sizes with padding, most major first, at least two; and without.
  absl::Span<const int64_t> sizes() const { return sizes_; }
  absl::Span<const int64_t> data_sizes() const { return data_sizes_; }
  bool empty() const { return slices() == 0 || rows() == 0 || columns() == 0; }

  // Product of all sizes before the last two, saturated.
  int64_t slices() const { return slices_; }
  int64_t rows() const { return sizes_[sizes_.size() - 2]; }
  int64_t columns() const { return sizes_.back(); }
  // Cells between two borders; all of them where the first tile does not reach.
  int64_t tile_rows() const { return tile_rows_; }
  int64_t tile_columns() const { return tile_columns_; }

  // "physical [1,*,*]"; empty for the only slice of a space of rank 2.
  std::string SliceName(int64_t slice) const;

  struct Cell {
    int64_t offset = 0;
    bool padding = false;
    // Coordinates between the levels: [k] is the index into the output of tile level k.
    absl::InlinedVector<Sizes64, 3> after_level;
  };
  Cell CellAt(int64_t slice, int64_t row, int64_t column) const;

 private:
  explicit DrawnSpace(IndexMap map) : map_(std::move(map)) {}
  void SetSizes();

  IndexMap map_;
  Sizes64 sizes_;
  Sizes64 data_sizes_;
  int64_t added_ = 0;  // ones put in front to reach rank 2
  int64_t slices_ = 1;
  int64_t tile_rows_ = 0;
  int64_t tile_columns_ = 0;
};

// Number of the tile of `level` that holds an index into the level's output, counted row by row.
int64_t TileNumber(const TileLevel& level, absl::Span<const int64_t> index);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_DRAW_DRAWN_SPACE_H_
