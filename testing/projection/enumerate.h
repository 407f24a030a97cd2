// The slow and obvious engine beside the fast one, for tests: sets of points, made index by index
// and cell by cell.
#ifndef TESSERA_TESTING_PROJECTION_ENUMERATE_H_
#define TESSERA_TESTING_PROJECTION_ENUMERATE_H_

#include <optional>
#include <random>
#include <set>

#include "tessera/projection/map/projection.h"
#include "tessera/text/checked.h"

namespace tessera::projection {

using Points = std::set<ZPoint>;

// The cells of the region at `x`: every window cell, through dilation and policy. None where a
// policy forbids one.
inline std::optional<Points> RegionByCells(const ZProjection& p, const ZPoint& x) {
  Points out;
  bool allowed = true;
  ForEachCell(ZRange::FromShape(p.shape()), [&](const ZPoint& k) {
    ZPoint cell;
    for (int r = 0; r < p.tensor_rank(); ++r) {
      int64_t v = p.offset()[r] + p.step()[r] * k[r];
      for (int c = 0; c < p.index_rank(); ++c) v += p.matrix()(r, c) * x[c];
      for (const GroupTerm& g : p.spec().groups) {
        v += g.row == r ? g.mul * FloorDiv(x[g.axis], g.div) : 0;
      }
      if (FloorMod(v, p.dilate()[r]) != 0) return true;  // a hole
      cell.push_back(FloorDiv(v, p.dilate()[r]));
    }
    for (int r = 0; p.spec().extent.has_value() && r < p.tensor_rank(); ++r) {
      const auto landed = ApplyPolicy(p.spec().policy, cell[r], (*p.spec().extent)[r]);
      allowed &= landed.ok();
      if (!landed.ok() || !landed->has_value()) return true;
      cell[r] = **landed;
    }
    out.insert(cell);
    return true;
  });
  return allowed ? std::optional<Points>(std::move(out)) : std::nullopt;
}

inline std::optional<Points> ImageByCells(const ZProjection& p, const ZRange& block) {
  Points out;
  bool allowed = true;
  ForEachCell(block, [&](const ZPoint& x) {
    const std::optional<Points> region = RegionByCells(p, x);
    allowed &= region.has_value();
    if (region.has_value()) out.insert(region->begin(), region->end());
    return true;
  });
  return allowed ? std::optional<Points>(std::move(out)) : std::nullopt;
}

inline Points PointsOf(const ZSet& set) {
  Points out;
  const absl::StatusOr<std::vector<ZRange>> boxes = set.Slabs(1 << 20);
  for (const ZRange& box : *boxes) {
    ForEachCell(box, [&](const ZPoint& p) { return out.insert(p), true; });
  }
  return out;
}

// A random projection of small numbers: up to 3 axes and 3 dimensions, with windows, steps, holes,
// groups and policies.
inline ZProjection RandomProjection(std::mt19937& random) {
  const auto draw = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<uint32_t>(high - low + 1));
  };
  ProjectionSpec spec;
  const int rank = draw(1, 3), axes = draw(1, 3);
  spec.matrix = ZMatrix(rank, axes);
  ZPoint offset, extent;
  spec.shape = spec.step = spec.dilate = ZPoint::Filled(rank, 1);
  for (int r = 0; r < rank; ++r) {
    for (int c = 0; c < axes; ++c) spec.matrix(r, c) = draw(0, 2) == 0 ? draw(-3, 3) : 0;
    offset.push_back(draw(-4, 4));
    extent.push_back(draw(1, 9));
    spec.shape[r] = draw(1, 3);
    spec.step[r] = draw(1, 2);
    spec.dilate[r] = draw(0, 3) == 0 ? 2 : 1;
  }
  if (draw(0, 3) == 0)
    spec.groups.push_back({draw(0, rank - 1), draw(0, axes - 1), draw(1, 3), draw(1, 2)});
  spec.offsets.Set(OffsetRole::kBounds, offset);
  spec.policy = static_cast<OutOfBoundsPolicy>(draw(0, 5));
  if (draw(0, 2) != 0) spec.extent = extent;
  return *ZProjection::Create(spec);
}

inline ZRange RandomBlock(std::mt19937& random, int rank) {
  ZPoint start, end;
  for (int c = 0; c < rank; ++c) {
    start.push_back(static_cast<int>(random() % 4));
    end.push_back(start[c] + static_cast<int>(random() % 4));
  }
  return *ZRange::Create(start, end);
}

}  // namespace tessera::projection

#endif  // TESSERA_TESTING_PROJECTION_ENUMERATE_H_
