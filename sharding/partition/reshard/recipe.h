// What the emitter needs beside a node's opcode, shape and operands.
//
//   recipe::Slice{{{0, 4, 1}, {2, 8, 1}}}         // slice={[0:4], [2:8]}
//   recipe::DynamicSlice{{rows, kZeros}}          // starts at the device's row, and at 0
//
// A recipe says which value a node has, not how it is computed: a mask or an offset is one node
// here and up to a dozen HLO instructions (emit/). Values that differ between devices are tables
// (recipe_store.h): one number for each device of the module. Visits write recipes only if a module will
// be emitted; no partitioner reads them.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_RECIPE_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_RECIPE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tessera/hlo/attribute_name.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/tiling/lists.h"

namespace tessera::sharding::partition {

using TableId = int32_t;

namespace recipe {

// Nothing is known: a module that needs the node cannot be emitted.
struct DefaultSharding {};
// Opcode, shape and operands suffice.
struct Plain {};
// The instruction that was visited on other operands: its attributes, some with other values.
struct AsWritten {
  std::vector<std::pair<hlo::AttributeName, std::string>> instead;
};
// The visited slice; a dimension that it takes completely is complete in a shard.
struct SliceAsWritten {};
// dimensions= of a broadcast or transpose.
struct Dimensions {
  Dims dims;
};
struct Slice {
  std::vector<hlo::SliceDimension> dims;
};
// A slice of the size of the node: from `start` on along `dim`, from the beginning along others.
struct SliceFrom {
  int64_t dim = 0, start = 0;
};
struct Pad {
  std::vector<hlo::PaddingDimension> dims;
};
// A start for each dimension.
struct DynamicSlice {
  std::vector<TableId> starts;
};
// A dynamic-slice or dynamic-update-slice whose last operands are its starts along these dimensions;
// along others it starts at 0.
struct StartsGiven {
  Dims dims;
};
struct Concatenate {
  int64_t dim = 0;
};
// Along `dim`, from `start` on.
struct Iota {
  int64_t dim = 0;
  TableId start = 0;
};
// A constant: all elements are this.
struct Fill {
  enum class Number : uint8_t { kZero, kOne, kMinusOne, kLowest, kHighest };
  Number value = Number::kZero;
};
// A select of value and fill (a scalar): the value where, along each of these dimensions, the index
// in the shard plus `start` is in [low, high).
struct InRange {
  struct Range {
    int64_t dim = 0;
    TableId start = 0;
    int64_t low = 0, high = 0;
  };
  std::vector<Range> ranges;
};
// A select of a value alone: the value on one device, `other` on others. The device is the one whose `id` is `device`;
// without a device it is the one whose `id` is 0.
struct OnDevices {
  TableId id = 0;
  std::optional<int64_t> device = std::nullopt;
  Fill::Number other = Fill::Number::kZero;
};
// A scalar or vector of the numbers of the device.
struct Numbers {
  std::vector<TableId> elements;
};
// A compare of a, first and last: a < first or a > last.
struct Outside {};
// A select of a mask and a value: zero where the mask is true anywhere along `vector_dim` (-1: there
// is none), else the value. `dims`: the dimension of the value for each other dimension of the mask.
struct WhereFound {
  int64_t vector_dim = -1;
  Dims dims;
};
// A dynamic-update-slice of base, update and starts along `dims`, on the device that holds the
// updated elements; the base is unchanged on others. Sizes are unsharded; `cut` has the starts of
// shards.
struct UpdateOneShard {
  struct Start {
    int64_t dim = 0, size = 0;
    TableId cut = 0;
  };
  std::vector<Start> starts;
};
// A region assembled from columns: parts of the shard and of received shards. They are the operands, in order; `fill`,
// if present, is the last one. On each device a column is one of its sources, and its piece is in that.
// The region begins at `start` of the joined columns. With fill, elements outside of [first, limit) of the region are
// fill.
struct PieceColumns {
  static constexpr int64_t kFill = -1;
  struct Source {
    int64_t operand = 0;        // or kFill
    int64_t from = 0;           // of the shard (operand 0): the first element that is taken
    int64_t low = 0, high = 0;  // fill (or zeros) around a received part
  };
  struct Column {
    int64_t size = 0;
    std::vector<Source> sources;
    TableId choice = 0;
  };
  int64_t dim = 0;
  bool has_fill = false;
  std::vector<Column> columns;
  int64_t size = 0;  // of all columns, and of what the last region needs after them
  TableId start = 0;
  TableId first = 0, limit = 0;
};
// A tuple element with indices into a shard, converted to indices into the unsharded array.
struct Shifted {
  TableId by = 0;
};
// A sort of values and their companions along `dim`, the largest first.
struct LargestFirst {
  int64_t dim = 0;
};
// The instruction that was visited, on this device; zeros on the others, which do not run it.
struct OnOneDevice {
  int64_t device = 0;
};
// A dot of a value alone: along the last dimension elements 0, parts, 2 * parts, .. come first, then
// 1, parts + 1, .. and so on.
struct Dealt {
  int64_t parts = 1;
};
// A tuple of a device's transformed part and two permutes: its part of the whole transform. Each
// device multiplies its part by a factor, and the sum is over the parts of all devices.
struct SumAround {};
// A dot of two shards whose exchange is a loop (ops/dot/windows.h).
struct Windows {
  // The part of an array that belongs to a device: `size` elements along `dim`, from starts[k] on for
  // device k of the group.
  struct Part {
    int64_t dim = 0, size = 0;
    std::vector<int64_t> starts;
  };
  enum class Kind : uint8_t {
    kContracting,  // the operand that moves is cut along what is contracted,
    kOwn,          // along a dimension of its own,
    kBatch,        // along a batch dimension;
    kScatter,      // both operands are contracted in part, and what moves is the result
  };
  Kind kind = Kind::kContracting;
  bool lhs_moves = false;  // of kScatter: the other operand is the one that is cut as the result
  bool in_both_directions = false;
  int64_t devices = 1;  // of a group
  TableId number = 0;   // of each device, in its group
  // From each device to the one before it and to the one after it.
  std::vector<std::pair<int64_t, int64_t>> back, forth;
  std::vector<Part> taken;   // of the operand that stays; none of kOwn
  std::vector<Part> placed;  // of the result of kOwn and kBatch
  Dims dims;                 // of the result without the padding of the last shard
};
// Few recipes are as large.
using SharedWindows = std::shared_ptr<const Windows>;
// A dynamic-update-slice of a value alone: written into zeros at the starts of these ranges, as far
// as it is in them.
struct PlaceInZeros {
  InRange within;
};

}  // namespace recipe

using Recipe =
    std::variant<recipe::DefaultSharding, recipe::Plain, recipe::AsWritten, recipe::SliceAsWritten,
                 recipe::Dimensions, recipe::Slice, recipe::SliceFrom, recipe::Pad,
                 recipe::DynamicSlice, recipe::StartsGiven, recipe::Concatenate, recipe::Iota,
                 recipe::Fill, recipe::InRange, recipe::OnDevices, recipe::Numbers, recipe::Outside,
                 recipe::WhereFound, recipe::UpdateOneShard, recipe::PieceColumns, recipe::Shifted,
                 recipe::LargestFirst, recipe::PlaceInZeros, recipe::OnOneDevice, recipe::Dealt,
                 recipe::SumAround, recipe::SharedWindows>;

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_RECIPE_H_
