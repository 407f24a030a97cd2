// Where the part of a sum that a device keeps lies in the memory of a TPU.
//
//   ScatteredPart part = LaidPart(sizes, *ParseShape("bf16[4000,2048]"), preference, /*dimension=*/0);
//   part.place;      // 1: the rows of tiles are cut
//   part.pieces;     // 1
//
// Tested by padded_scatters_test.cc.

#ifndef TESSERA_TARGET_TPU_SCATTERED_PART_H_
#define TESSERA_TARGET_TPU_SCATTERED_PART_H_

#include <cstdint>

#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"
#include "tessera/target/layouts/array_sizes.h"
#include "tessera/target/layouts/layout_preferences.h"
#include "tessera/target/program/device_groups.h"
#include "tessera/target/program/device_program.h"
#include "tessera/target/target.h"

namespace tessera::target {

inline constexpr int64_t kTileRows = 8, kTileColumns = 128;

struct ScatteredPart {
  layout::Shape laid;
  int64_t place = 0;   // of the cut dimension, from the most minor one
  int64_t pieces = 1;  // in which it lies in the whole sum, rows and columns of tiles not counted

  bool cuts_rows() const { return place == 1; }
  int64_t size() const { return laid.dim(laid.layout().minor_to_major[place]); }
};

// What operations ask of the layout of a sum of `x`. A product without batch dimensions has any.
MinorChoice PreferenceOfSum(const LayoutPreferences& preferences, const hlo::Module& module,
                            hlo::InstructionId x);
// The same of an all-reduce or reduce-scatter in a program, with what the readers of its parts ask.
MinorChoice PreferenceOfReadSum(const ArraySizes& sizes, const LayoutPreferences& preferences,
                                const DeviceProgram& program, InstructionId sum);

// Of an array of two dimensions or more that is cut along `dimension`; `preference`: of layout_preferences.h, for the
// whole sum.
ScatteredPart LaidPart(const ArraySizes& sizes, const layout::Shape& part, MinorChoice preference,
                       int64_t dimension);

// Columns of a tile that the array has: f32[4096,8,64] fills half of each.
int64_t ColumnsOfTile(const layout::Shape& laid);

// Rows of a tile of this layout: fewer than kTileRows where the array has few.
int64_t RowsOfTile(const layout::Shape& laid);

// Tiles of kTileRows rows that hold the array.
int64_t TilesOf(const layout::Shape& laid);

// Of the array, with those that only fill its tiles.
int64_t TiledElements(const layout::Shape& laid);

// Whether a group of so many devices is all of a slice, two sides of which are equal: 4x4, 2x2x4, but not 2x2 or 4x8.
bool IsWholeWithEqualSides(const Target& target, int64_t devices);

// Whether a reduce-scatter in these groups may leave this part: of float32 or bfloat16, in whole tiles, padded by half at
// most. reduce_scatter_fusion.cc has the conditions.
bool IsScattered(const Target& target, const ScatteredPart& part,
                 const DeviceGroups::Groups& groups);

// What is cut: rows as they are, else whole tiles of ColumnsOfTile().
int64_t CutElements(const ScatteredPart& part);

// The same, padded to chunks of at most so many tiles: as few chunks as possible, of equally many units. A
// unit is a row of tiles where rows are cut, else a tile. Half of a chunk goes each way around a ring, so
// that its tiles are even. `are_squares`: the group is four devices that fill two sides of two of the
// torus. Half of the units goes along each side, so that units are even, and so are the tiles of half of
// them.
int64_t ElementsInChunks(const ScatteredPart& part, int64_t tiles_of_chunk, bool are_squares);
// The same on the chunks and the torus of a target.
int64_t PaddedElements(const Target& target, const ScatteredPart& part,
                       const DeviceGroups::Groups& groups);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_TPU_SCATTERED_PART_H_
