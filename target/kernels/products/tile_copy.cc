#include "tessera/target/kernels/products/tile_copy.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "tessera/target/kernels/products/registers.h"

namespace tessera::target {
namespace {

using layout::Shape;

constexpr double kFastTiles = 3;  // that take as long as one in HBM

bool HasTiles(const Shape& array) {
  return array.is_array() && array.rank() > 1 && array.has_layout() &&
         array.layout().rank() == array.rank() && !array.layout().tiles.empty() &&
         array.layout().tiles.front().dims.size() == 2;
}

// Of the dimensions with more than one element.
std::optional<int64_t> MostMinor(const Shape& array) {
  for (const int64_t d : array.layout().minor_to_major) {
    if (array.dim(d) > 1) return d;
  }
  return std::nullopt;
}

double TilesOf(const Shape& array) {
  const auto& tile = array.layout().tiles.front().dims;
  return Registers(array) * kElementsOfRegister / static_cast<double>(tile[0] * tile[1]);
}

// In HBM; of the fast memory as many as take that long.
double MovedTiles(const Shape& from, const Shape& to, const DeviceKernel& kernel) {
  double slow = 0, fast = 0;
  for (const Access& access : kernel.accesses)
    (access.is_fast ? fast : slow) += TilesOf(access.is_written ? to : from);
  return slow > 0 ? std::max(slow, fast / kFastTiles) : 0;
}

}  // namespace

void TakeForTileCopy(const Shape& from, const Shape& to, DeviceKernel* kernel) {
  if (!HasTiles(from) || !HasTiles(to)) return;
  const bool keeps_lanes = MostMinor(from) == MostMinor(to);
  kernel->kind = keeps_lanes ? KernelKind::kTileCopy : KernelKind::kLaneCopy;
  kernel->count = keeps_lanes ? TilesOf(to) : MovedTiles(from, to, *kernel);
}

}  // namespace tessera::target
