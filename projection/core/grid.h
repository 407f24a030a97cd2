// How a tensor of any rank is laid out on paper. Its last two dimensions are a grid, one grid
// (panel) for each index of the others, and large extents are scaled down by powers of two.
#ifndef TESSERA_PROJECTION_CORE_GRID_H_
#define TESSERA_PROJECTION_CORE_GRID_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "tessera/projection/core/range.h"
#include "tessera/projection/set/set.h"

namespace tessera::projection {

struct Grid {
  int64_t rows = 1, cols = 1;  // of a panel, as drawn
  int64_t row_scale = 1,
          col_scale = 1;  // tensor cells that one drawn cell stands for, in each direction
  std::vector<ZPoint>
      panels;    // leading indices, row-major; a gap is an entry of rank 0 after the first
  ZPoint shape;  // of the tensor

  bool scaled() const { return row_scale > 1 || col_scale > 1; }
  // The tensor cells after a drawn cell.
  ZRange CellsAt(const ZPoint& panel, int64_t row, int64_t col) const;
};

// At most `max_rows` x `max_cols` drawn cells in a panel and `max_panels` panels; of more, the
// middle ones are left out.
Grid GridOf(const ZPoint& shape, int64_t max_rows, int64_t max_cols, size_t max_panels);

// How a drawn cell is covered.
enum class Cover { kNone, kUnread, kPart, kAll };  // kUnread: only inside the bounding box
Cover CoverOf(const ZSet& cells, const ZRange& at);

// The tensor in the terminal, a mark for each drawn cell; at most 100 columns and 8 panels. Of a
// scaled one the first line says what a mark stands for.
std::string DrawMarks(const ZPoint& shape, absl::FunctionRef<char(const ZRange&)> mark);

// "[1:5, 0:5]": a box as users read it.
std::string BoxText(const ZRange& box);

// "[2, *, *]": which panel this is; empty for ranks up to 2.
std::string PanelName(const ZPoint& panel, int rank);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_CORE_GRID_H_
