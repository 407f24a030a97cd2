#include "tessera/testing/layout/slow_map.h"

#include <numeric>
#include <utility>

#include "tessera/text/checked.h"

namespace tessera::layout {
namespace {

using Dims = std::vector<int64_t>;

int64_t RoundUp(int64_t size, int64_t unit) { return (size + unit - 1) / unit * unit; }

// The index of element number `number` of an array with sizes `dims`.
Dims IndexOf(int64_t number, const Dims& dims) {
  Dims index(dims.size());
  for (size_t i = dims.size(); i-- > 0; number /= dims[i]) index[i] = number % dims[i];
  return index;
}

int64_t NumberOf(const Dims& index, const Dims& dims) {
  int64_t number = 0;
  for (size_t i = 0; i < dims.size(); ++i) number = number * dims[i] + index[i];
  return number;
}

// Sizes after the stars of a tile have merged dimensions, which are as many as its entries.
Dims MergeStars(const Dims& dims, const Tile& tile, size_t lead) {
  Dims merged(dims.begin(), dims.begin() + lead);
  int64_t waiting = 1;
  for (size_t i = 0; i < tile.dims.size(); ++i) {
    waiting *= dims[lead + i];
    if (tile.dims[i] == Tile::kCombine) continue;
    merged.push_back(waiting);
    waiting = 1;
  }
  return merged;
}

SlowArray ApplyTile(SlowArray array, const Tile& tile) {
  Dims dims = array.dims;
  while (dims.size() < tile.dims.size()) dims.insert(dims.begin(), 1);
  const size_t lead = dims.size() - tile.dims.size();
  array = SlowReshape(std::move(array), MergeStars(dims, tile, lead));

  Dims padded = array.dims;
  Dims split(padded.begin(), padded.begin() + lead);
  Dims perm(lead);
  std::iota(perm.begin(), perm.end(), 0);
  Dims inside;
  size_t at = lead;
  for (int64_t entry : tile.dims) {
    if (entry == Tile::kCombine) continue;
    padded[at] = RoundUp(padded[at], entry);
    perm.push_back(static_cast<int64_t>(split.size()));
    split.push_back(padded[at] / entry);
    inside.push_back(static_cast<int64_t>(split.size()));
    split.push_back(entry);
    ++at;
  }
  perm.insert(perm.end(), inside.begin(), inside.end());
  return SlowTranspose(SlowReshape(SlowResize(array, padded, -1), split), perm);
}

}  // namespace

SlowArray SlowIota(const std::vector<int64_t>& dims) {
  SlowArray array{dims, Dims(Product(dims))};
  std::iota(array.values.begin(), array.values.end(), 0);
  return array;
}

SlowArray SlowTranspose(const SlowArray& array, const std::vector<int64_t>& perm) {
  SlowArray result;
  for (int64_t from : perm) result.dims.push_back(array.dims[from]);
  result.values.resize(array.values.size());
  for (size_t i = 0; i < array.values.size(); ++i) {
    const Dims from = IndexOf(static_cast<int64_t>(i), array.dims);
    Dims to;
    for (int64_t dim : perm) to.push_back(from[dim]);
    result.values[NumberOf(to, result.dims)] = array.values[i];
  }
  return result;
}

SlowArray SlowReshape(SlowArray array, const std::vector<int64_t>& dims) {
  array.dims = dims;
  return array;
}

SlowArray SlowResize(const SlowArray& array, const std::vector<int64_t>& dims, int64_t fill) {
  SlowArray result{dims, Dims(Product(dims), fill)};
  for (size_t i = 0; i < array.values.size(); ++i) {
    const Dims index = IndexOf(static_cast<int64_t>(i), array.dims);
    bool kept = true;
    for (size_t d = 0; d < dims.size(); ++d) kept = kept && index[d] < dims[d];
    if (kept) result.values[NumberOf(index, dims)] = array.values[i];
  }
  return result;
}

std::vector<int64_t> SlowMemory(const Shape& array) {
  const Layout& layout = array.layout();
  SlowArray memory = SlowIota(Dims(array.dims().begin(), array.dims().end()));
  memory =
      SlowTranspose(memory, Dims(layout.minor_to_major.rbegin(), layout.minor_to_major.rend()));
  for (const Tile& tile : layout.tiles) memory = ApplyTile(std::move(memory), tile);
  memory.values.resize(RoundUp(static_cast<int64_t>(memory.values.size()), layout.tail_alignment),
                       -1);
  return memory.values;
}

}  // namespace tessera::layout
