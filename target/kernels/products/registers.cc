#include "tessera/target/kernels/products/registers.h"

#include <algorithm>
#include <cmath>

#include "tessera/layout/element_type.h"

namespace tessera::target {
namespace {

constexpr double kRows = 8, kLanes = 128;

double RoundedUp(double size, double unit) { return std::ceil(size / unit) * unit; }

// How much larger an array is whose dimension `rows` lies on rows and `lanes` on lanes.
double Padding(double rows, double lanes, double rows_of_tile) {
  if (rows <= 0 || lanes <= 0) return 1;
  return RoundedUp(rows, rows_of_tile) / rows * RoundedUp(lanes, kLanes) / lanes;
}

bool HasTiles(const layout::Shape& array) {
  return array.is_array() && array.has_layout() && array.layout().rank() == array.rank() &&
         !array.layout().tiles.empty();
}

// A tile of fewer rows wastes fewer.
double RowsOfTile(const layout::Layout& layout) {
  const auto& dims = layout.tiles.front().dims;
  const double rows = dims.size() < 2 ? 1 : static_cast<double>(dims[dims.size() - 2]);
  return std::clamp(rows, 1.0, kRows);
}

double PaddingOfLayout(const layout::Shape& array) {
  const layout::Layout& layout = array.layout();
  const double lanes = DimSize(array, layout.minor_to_major[0]);
  if (array.rank() == 1) return Padding(1, lanes, 1);
  return Padding(DimSize(array, layout.minor_to_major[1]), lanes, RowsOfTile(layout));
}

double LeastPadding(const layout::Shape& array) {
  if (array.rank() == 1) return Padding(1, DimSize(array, 0), 1);
  double least = Padding(1, DimSize(array, 0), kRows);
  for (int64_t lanes = 0; lanes < array.rank(); ++lanes) {
    for (int64_t rows = 0; rows < array.rank(); ++rows) {
      if (rows == lanes) continue;
      least = std::min(least, Padding(DimSize(array, rows), DimSize(array, lanes), kRows));
    }
  }
  return least;
}

}  // namespace

const layout::Shape& FirstArray(const layout::Shape& shape) {
  const layout::Shape* first = &shape;
  while (first->is_tuple() && !first->tuple_elements().empty()) {
    first = first->tuple_elements().data();
  }
  return *first;
}

double DimSize(const layout::Shape& array, int64_t dim) {
  if (dim < 0 || dim >= array.rank()) return 1;
  return array.is_unbounded(dim) ? 1 : static_cast<double>(std::max<int64_t>(array.dim(dim), 0));
}

double Elements(const layout::Shape& array) {
  if (!array.is_array()) return 0;
  double elements = 1;
  for (int64_t d = 0; d < array.rank(); ++d) elements *= DimSize(array, d);
  return elements;
}

double Registers(const layout::Shape& array) {
  const double elements = Elements(array);
  if (elements == 0 || array.rank() == 0) return elements / kElementsOfRegister;
  const double padding = HasTiles(array) ? PaddingOfLayout(array) : LeastPadding(array);
  return elements * padding / kElementsOfRegister;
}

double LowTiles(const layout::Shape& array) {
  if (!HasTiles(array) || array.rank() < 2) return 0;
  const double rows = RowsOfTile(array.layout());
  return rows < kRows && array.layout().tiles.front().dims.size() == 2
             ? Registers(array) * kRows / rows
             : 0;
}

double ElementWidth(const layout::Shape& array) {
  if (!array.is_array()) return 0;
  return std::max(1, layout::BitWidth(array.element_type())) / 8.0;
}

}  // namespace tessera::target
