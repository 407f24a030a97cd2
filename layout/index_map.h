// Where an element lies, and which element lies there.
//
//   StatusOr<IndexMap> map = IndexMap::Create(*ParseShape("f32[3,5]{1,0:T(2,2)}"));
//   map->Offset({2, 3});    // 17
//   map->IndexAt(17);       // {2, 3}
//   map->IndexAt(9);        // nothing: padding
//   map->total();           // 24
//
// Offsets count elements from the start of the data (after a prefix M); indices are logical, in
// the order in which the shape lists its dimensions. Any number of tiles, tiles of more entries than there
// are dimensions, stars, and tiles that do not divide each other are all handled.
//
// Creating a map costs O(rank * tiles); Offset and IndexAt cost O(number of final coordinates).

#ifndef TESSERA_LAYOUT_INDEX_MAP_H_
#define TESSERA_LAYOUT_INDEX_MAP_H_

#include <cstdint>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/tiling.h"

namespace tessera::layout {

class IndexMap {
 public:
  using Index64 = absl::InlinedVector<int64_t, 6>;

  // `shape` is an array or a buffer. Errors: V_ codes, kUnbounded, kNotArray.
  static absl::StatusOr<IndexMap> Create(const Shape& shape);

  // Error kRange if the index has a wrong number of entries or one lies outside its dimension.
  absl::StatusOr<int64_t> Offset(absl::Span<const int64_t> index) const;
  // Nothing if the offset is padding. Error kRange if it is outside [0, total()).
  absl::StatusOr<std::optional<Index64>> IndexAt(int64_t offset) const;

  // The same without checks: `index` must be in range, `offset` in [0, total()).
  int64_t OffsetOf(absl::Span<const int64_t> index) const;
  std::optional<Index64> IndexOf(int64_t offset) const;

  const Tiling& tiling() const { return tiling_; }
  absl::Span<const int64_t> dims() const { return dims_; }
  // Number of slots, padding and tail included.
  int64_t total() const { return total_; }

 private:
  IndexMap() = default;

  Shape::Dims dims_;
  Shape::Dims major_to_minor_;  // logical dimension of each physical one
  Tiling tiling_;
  int64_t total_ = 0;
};

// The steps of the two directions, for callers that want to see a level at a time.

// `index` is one into level.input without the ones in front; becomes one into level.output.
void EnterTile(const TileLevel& level, Sizes64* index);
// The way back; false if the index is padding of this level.
bool LeaveTile(const TileLevel& level, Sizes64* index);

// Row-major offset of an index, and back.
int64_t Linearize(absl::Span<const int64_t> index, absl::Span<const int64_t> sizes);
void Delinearize(int64_t offset, absl::Span<const int64_t> sizes, absl::Span<int64_t> index);
// Moves to the next index in row-major order; false (and all zeros) after the last.
bool NextIndex(absl::Span<const int64_t> sizes, absl::Span<int64_t> index);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_INDEX_MAP_H_
