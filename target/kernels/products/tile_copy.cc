#include "tessera/target/kernels/products/tile_copy.h"

#include <cstdint>
#include <optional>

#include "tessera/target/kernels/products/registers.h"

namespace tessera::target {
namespace {

using layout::Shape;

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

}  // namespace

void TakeForTileCopy(const Shape& from, const Shape& to, DeviceKernel* kernel) {
  if (!HasTiles(from) || !HasTiles(to) || MostMinor(from) != MostMinor(to)) return;
  const auto& tile = to.layout().tiles.front().dims;
  kernel->kind = KernelKind::kTileCopy;
  kernel->count = Registers(to) * kElementsOfRegister / static_cast<double>(tile[0] * tile[1]);
}

}  // namespace tessera::target
