// File: projection/partition/cost_model.h
//
// What a block costs, as a function of its extents; four ways to know it, behind one interface.
//
//   absl::StatusOr<MultiLinear> m = MultiLinear::Fit(3, [&](const ZPoint& extents) { ... });
//   (*m->Cost({10, 16, 4}))->flops
//   Quantum tiles(*m, {1, 8, 128});           // the device works in whole tiles
//   *Marginal(tiles, {10, 16, 4}, 1)          // 0 inside a tile, a whole tile at its edge
//   tiles.NextCliff({10, 16, 4}, 1)           // 16: one more is a new tile
//
// Seconds and joules are derived, and often absent; nothing here adds one to the other.
#ifndef TESSERA_PROJECTION_PARTITION_COST_MODEL_H_
#define TESSERA_PROJECTION_PARTITION_COST_MODEL_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/projection/core/point.h"
#include "tessera/text/checked.h"

namespace tessera::projection {

struct CostVector {
  int64_t flops = 0, transcendentals = 0, int_ops = 0;
  std::vector<int64_t> bytes_read, bytes_written;  // of each operand, of each result
  int64_t bytes_intermediate = 0, launches = 0;
  std::optional<double> seconds, joules;

  friend bool operator==(const CostVector& a, const CostVector& b);
};

// a + factor * b, component by component; shorter lists count as zero, and seconds and joules are
// there only where both have them. kOverflow.
absl::StatusOr<CostVector> Plus(const CostVector& a, const CostVector& b, int64_t factor = 1);

class CostModel {
 public:
  virtual ~CostModel() = default;
  // Of a block of these extents, each >= 0. kRankMismatch, kOverflow.
  virtual absl::StatusOr<CostVector> Cost(const ZPoint& extents) const = 0;
  // The largest extent along `axis` that costs the same as this one; the extent itself without
  // cliffs.
  virtual int64_t NextCliff(const ZPoint& extents, int axis) const { return extents[axis]; }
};

// cost(n + e_axis) - cost(n), an exact difference.
absl::StatusOr<CostVector> Marginal(const CostModel& model, const ZPoint& extents, int axis);

// fixed + rate * number of indices: when nothing better is known.
class PointRate : public CostModel {
 public:
  PointRate(CostVector fixed, CostVector rate) : fixed_(std::move(fixed)), rate_(std::move(rate)) {}
  absl::StatusOr<CostVector> Cost(const ZPoint& extents) const override;

 private:
  CostVector fixed_, rate_;
};

// The sum over subsets S of the axes of a_S * product of the extents in S. Exact for bytes of plain
// projections and for flops, whose regions have widths that grow by the same amount with each
// index.
class MultiLinear : public CostModel {
 public:
  using Exact = std::function<absl::StatusOr<CostVector>(const ZPoint& extents)>;
  // From exact costs at the extents 1 and 2 of each of `rank` <= 12 axes. kTooLarge.
  static absl::StatusOr<MultiLinear> Fit(int rank, const Exact& exact);
  absl::StatusOr<CostVector> Cost(const ZPoint& extents) const override;

 private:
  int rank_ = 0;
  std::vector<CostVector> coefficients_;  // by subset, a bit for each axis
};

// fixed + rate * bytes of all inputs.
class InputBytes : public CostModel {
 public:
  using Bytes = std::function<absl::StatusOr<int64_t>(const ZPoint& extents)>;
  InputBytes(CostVector fixed, CostVector rate, Bytes bytes)
      : fixed_(std::move(fixed)), rate_(std::move(rate)), bytes_(std::move(bytes)) {}
  absl::StatusOr<CostVector> Cost(const ZPoint& extents) const override;

 private:
  CostVector fixed_, rate_;
  Bytes bytes_;
};

// Another model, at extents rounded up to multiples of `quanta` (each >= 1): tiles of a matrix
// unit, waves of parallel units. `model` must outlive it.
class Quantum : public CostModel {
 public:
  Quantum(const CostModel& model, ZPoint quanta) : model_(model), quanta_(std::move(quanta)) {}
  Quantum(const CostModel&& model, ZPoint quanta) = delete;
  absl::StatusOr<CostVector> Cost(const ZPoint& extents) const override;
  int64_t NextCliff(const ZPoint& extents, int axis) const override {
    return CeilDiv(extents[axis], quanta_[axis]) * quanta_[axis];
  }

 private:
  const CostModel& model_;
  ZPoint quanta_;
};

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_PARTITION_COST_MODEL_H_
