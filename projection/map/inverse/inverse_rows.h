// Which indices one row of a projection allows, for a box of cells that regions meet or lie in.
#ifndef TESSERA_PROJECTION_MAP_INVERSE_INVERSE_ROWS_H_
#define TESSERA_PROJECTION_MAP_INVERSE_INVERSE_ROWS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/projection/map/inverse/inverse.h"
#include "tessera/projection/set/axis_set.h"

namespace tessera::projection {

struct Bounds {
  int64_t low, high;  // both inclusive
};

// The axes that move row r.
std::vector<int> AxesOfRow(const ZProjection& p, int r);

// Bounds on (A x + b)[r] in units of the dilated tensor, for window cell `k` alone (touch) or for
// the window (inside).
absl::StatusOr<Bounds> RowBounds(const ZProjection& p, const ZRange& target, int r, int64_t k,
                                 InverseKind kind);

class RowSolver {
 public:
  RowSolver(const ZProjection& p, const ZRange& target, InverseKind kind, int64_t limit)
      : p_(p), target_(target), kind_(kind), limit_(limit) {}

  // What row r leaves of axis c, its only one. `fixed` is what axes with a known value add to the
  // row.
  absl::StatusOr<AxisSet> Solve(int r, int c, int64_t fixed, Interval x) const;
  // A row without a free axis: does it hold?
  absl::StatusOr<bool> Holds(int r, int64_t value) const;

 private:
  // Window cells that are asked one by one.
  int64_t CellsOfRow(int r) const;

  const ZProjection& p_;
  const ZRange& target_;
  InverseKind kind_;
  int64_t limit_;
};

// kRankMismatch; kNotSupported for regions with steps or dilation inside a box.
absl::Status CheckInverse(const ZProjection& p, const ZRange& target, const ZRange& range,
                          InverseKind kind);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_MAP_INVERSE_INVERSE_ROWS_H_
