// Lists that are linear in the devices of an assignment: all of them, and their indices along a
// dimension.
//
//   [4,2]<=[2,4]T(1,0):  devices 0,4,1,5,2,6,3,7; indices along 0 of devices 0 .. 7: 0,1,2,3,0,1,2,3
//
// Of axes both are a sum of one number for each digit. A digit moves the device by its stride, and
// the tile by the number of tiles after its axis. So a list is made axis by axis from the minor one
// on: the list so far, again for each digit. Where the axes do not fall on the tiles, and for lists,
// tile by tile. Cost: a few machine instructions a device. Tested by tile_assignment_test.cc.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/tile_assignment.h"
#include "tessera/text/checked.h"

namespace tessera::sharding {
namespace {

// Appends the list to itself, for each digit but 0 moved by `of(digit)`. It grows by pieces: what
// resize() sets to zero is written again soon.
template <typename Of>
void Repeat(int64_t digits, const Of& of, std::vector<int64_t>& list) {
  constexpr size_t kPiece = 128;
  const size_t run = list.size(), end = run * Index(digits);
  int64_t digit = 1, by = digits > 1 ? of(1) : 0;
  for (size_t at = run, from = 0; at < end;) {
    const size_t piece_end = std::min(at + kPiece, end);
    list.resize(piece_end);
    int64_t* const to = list.data();
    for (; at < piece_end; ++at) {
      to[at] = to[from] + by;
      if (++from < run) continue;
      from = 0;
      if (++digit < digits) by = of(digit);
    }
  }
}

std::vector<int64_t> OneZero(int64_t room) {
  std::vector<int64_t> out;
  out.reserve(Index(room));
  out.push_back(0);
  return out;
}

// A dimension: tile t has the index t / stride % size.
struct Dimension {
  int64_t stride = 1, size = 1;

  // Whether the index of a tile is the sum of those of its digits, of axes of `block` tiles a digit.
  bool FitsAxis(int64_t block, int64_t digits) const {
    if (block < stride) return block * digits <= stride || stride % block == 0;
    const int64_t unit = block / stride;
    return block % stride == 0 && (size % unit == 0 || unit % size == 0);
  }
};

}  // namespace

std::vector<int64_t> TileAssignment::Devices() const {
  if (!has_axes()) return *devices_;
  Dims strides(reshape_dims().size(), 1);
  for (size_t i = strides.size(); i-- > 1;) strides[i - 1] = strides[i] * reshape_dims()[i];
  std::vector<int64_t> out = OneZero(num_devices());
  for (size_t i = perm().size(); i-- > 0;) {
    const size_t axis = Index(perm()[i]);
    Repeat(
        reshape_dims()[axis], [&](int64_t digit) { return digit * strides[axis]; }, out);
  }
  return out;
}

std::vector<int64_t> TileAssignment::IndicesAlong(int64_t dim) const {
  const absl::Span<const int64_t> after = absl::MakeConstSpan(dims_).subspan(Index(dim) + 1);
  const Dimension along = {Product(after), dims_[Index(dim)]};
  bool fits = has_axes();
  Dims blocks(reshape_dims().size());  // tiles after each axis
  int64_t block = 1;
  for (size_t i = fits ? perm().size() : 0; i-- > 0;) {
    const size_t axis = Index(perm()[i]);
    blocks[axis] = block;
    fits &= along.FitsAxis(block, reshape_dims()[axis]);
    block *= reshape_dims()[axis];
  }
  if (!fits) return IndicesTileByTile(along.stride, along.size);
  std::vector<int64_t> out = OneZero(num_devices());
  for (size_t axis = blocks.size(); axis-- > 0;) {
    Repeat(
        reshape_dims()[axis],
        [&](int64_t digit) { return digit * blocks[axis] / along.stride % along.size; }, out);
  }
  return out;
}

std::vector<int64_t> TileAssignment::IndicesTileByTile(int64_t stride, int64_t size) const {
  std::vector<int64_t> out;
  int64_t tile = 0;
  for (const int64_t device : Devices()) {
    if (Index(device) >= out.size()) out.resize(Index(device) + 1, -1);
    out[Index(device)] = tile++ / stride % size;
  }
  return out;
}

}  // namespace tessera::sharding
