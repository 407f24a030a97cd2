// Small projections, each number a byte of the input: images cell by cell.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tessera/testing/projection/enumerate.h"

namespace tessera::projection {
namespace {

// Choices taken from the bytes of the input; zeros after its end.
struct Choices {
  const uint8_t* data;
  size_t size;
  size_t at = 0;
  int64_t Between(int64_t low, int64_t high) {
    return low + (at < size ? data[at++] : 0) % (high - low + 1);
  }
};

void Demand(bool holds, const char* what, const ZProjection& p) {
  if (holds) return;
  std::fprintf(stderr, "%s: %s\n", what, p.ToString().c_str());
  std::abort();
}

ProjectionSpec SpecOf(Choices& choose) {
  const int rows = static_cast<int>(choose.Between(0, 3));
  const int cols = static_cast<int>(choose.Between(0, 3));
  ProjectionSpec spec;
  spec.matrix = ZMatrix(rows, cols);
  ZPoint offset, extent;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) spec.matrix(r, c) = choose.Between(-2, 3);
    offset.push_back(choose.Between(-4, 4));
    spec.shape.push_back(choose.Between(1, 3));
    spec.step.push_back(choose.Between(1, 3));
    spec.dilate.push_back(choose.Between(1, 2));
    extent.push_back(choose.Between(1, 9));
  }
  spec.offsets.Set(OffsetRole::kView, offset);
  spec.policy = static_cast<OutOfBoundsPolicy>(choose.Between(0, 5));
  spec.extent = extent;
  return spec;
}

ZRange BlockOf(Choices& choose, int rank) {
  ZPoint start, end;
  for (int c = 0; c < rank; ++c) {
    start.push_back(choose.Between(-2, 3));
    end.push_back(start[c] + choose.Between(0, 4));
  }
  return *ZRange::Create(start, end);
}

void Check(Choices& choose) {
  const absl::StatusOr<ZProjection> p = ZProjection::Create(SpecOf(choose));
  if (!p.ok()) return;
  const ZRange block = BlockOf(choose, p->index_rank());
  const std::optional<Points> expected = ImageByCells(*p, block);
  const absl::StatusOr<ZSet> image = p->Image(block);
  Demand(image.ok() == expected.has_value(), "an error on one side", *p);
  if (image.ok()) Demand(PointsOf(*image) == *expected, "other cells", *p);
}

}  // namespace
}  // namespace tessera::projection

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tessera::projection::Choices choose{data, size};
  tessera::projection::Check(choose);
  return 0;
}
