#include "tessera/target/layouts/array_sizes.h"

#include <limits>

#include "tessera/layout/element_type.h"
#include "tessera/text/checked.h"

namespace tessera::target {
namespace {

using layout::Shape;

constexpr int64_t kPointer = 8, kTpuPointer = 4;

int64_t PlainBytes(const Shape& array) {
  if (!array.is_array() || array.has_unbounded_dim()) return 0;
  Checked bytes = layout::ByteWidth(array.element_type());
  for (const int64_t size : array.dims()) bytes *= size;
  return bytes.ok() ? bytes.value() : std::numeric_limits<int64_t>::max();
}

}  // namespace

int64_t ArraySizes::BytesOf(const Shape& array, MinorChoice choice) {
  const auto [at, is_new] = bytes_.try_emplace({&array, choice.minor, choice.second}, 0);
  if (is_new) {
    at->second = chip_.platform == Platform::kTpu ? layout::TpuBytesOf(array, generation_, choice)
                                                  : PlainBytes(array);
  }
  return at->second;
}

Shape ArraySizes::Laid(const Shape& array) const { return Laid(array, MinorChoice()); }

Shape ArraySizes::Laid(const Shape& array, MinorChoice choice) const {
  if (chip_.platform == Platform::kTpu) return layout::TpuLayoutOf(array, generation_, choice);
  if (!array.is_array() || array.has_unbounded_dim()) return array;
  Shape laid = array;
  laid.set_layout(layout::Layout::Descending(array.rank()));
  return laid;
}

Shape ArraySizes::WithTiles(const Shape& array) const {
  return chip_.platform == Platform::kTpu ? layout::TpuTilesFor(array, generation_) : array;
}

int64_t ArraySizes::TableBytes(int64_t arrays) const {
  if (chip_.platform != Platform::kTpu) return kPointer * arrays;
  const int64_t bytes = kTpuPointer * arrays, granule = chip_.table_granule;
  return (bytes + granule - 1) / granule * granule;
}

}  // namespace tessera::target
