// What the emitter needs to know of a node beside its opcode, shape and operands.
//
//   recipe::Slice{{{0, 4, 1}, {2, 8, 1}}}         // slice={[0:4], [2:8]}
//   recipe::DynamicSlice{{rows, kZeros}}          // starts at `rows` of the device, and at 0
//
// A recipe says which value a node has, not how it is computed: masks and offsets are one node here
// and up to a dozen instructions of HLO (emit/). What differs between devices is a table: a number
// for each device of the module (recipes.h). Visits write recipes only where a module is to be
// emitted; nobody decides by them.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_RECIPE_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_RECIPE_H_

#include <cstdint>
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
struct Unsaid {};
// Opcode, shape and operands are all of it.
struct Plain {};
// The instruction that was visited on other operands: its attributes, some with other values.
struct AsWritten {
  std::vector<std::pair<hlo::AttributeName, std::string>> instead;
};
// The slice that was visited; a dimension that it takes whole is whole in a shard.
struct SliceAsWritten {};
// dimensions= of a broadcast or transpose.
struct Dimensions {
  Dims dims;
};
struct Slice {
  std::vector<hlo::SliceDimension> dims;
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
  enum class Value : uint8_t { kZero, kOne, kMinusOne, kLowest, kHighest };
  Value value = Value::kZero;
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
// A select of a value alone: the value on devices whose number is 1, `other` on the others.
struct OnDevices {
  TableId chosen = 0;
  Fill::Value other = Fill::Value::kZero;
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
// A dynamic-update-slice of base, update and starts along `dims`, on the device that has what is
// updated; base stays on the others. Sizes are those of the whole, `cut` says where a shard starts.
struct UpdateOneShard {
  struct Start {
    int64_t dim = 0, size = 0;
    TableId cut = 0;
  };
  std::vector<Start> starts;
};
// Pieces of a region put together, from the shard and from what was received (the operands, in
// order; `fill`, if there is one, is the last operand). Piece after piece, a device takes `size`
// elements of them joined along `dim` and places them in the region; what it writes too much, the
// next piece covers.
struct Pieces {
  struct Piece {
    int64_t size = 0;
    TableId from = 0, to = 0;
  };
  int64_t dim = 0;
  int64_t padding = 0;  // elements of fill (or zero) behind the operands
  bool has_fill = false;
  std::vector<Piece> pieces;
};
// An element of a tuple whose values are indices into a shard: those into the whole.
struct Shifted {
  TableId by = 0;
};
// A sort of values and what belongs to them along `dim`, the largest first.
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
// A tuple of what a device has transformed of its part, and of two permutes: the whole transform's
// part. Each device turns its part, and the sum is taken of parts that go around all devices.
struct SumAround {};
// A dynamic-update-slice of a value alone: written at these starts into zeros, by devices whose
// number in `writes` is 1.
struct PlaceInZeros {
  std::vector<TableId> starts;
  TableId writes = 0;
};

}  // namespace recipe

using Recipe =
    std::variant<recipe::Unsaid, recipe::Plain, recipe::AsWritten, recipe::SliceAsWritten,
                 recipe::Dimensions, recipe::Slice, recipe::Pad, recipe::DynamicSlice,
                 recipe::StartsGiven, recipe::Concatenate, recipe::Iota, recipe::Fill,
                 recipe::InRange, recipe::OnDevices, recipe::Numbers, recipe::Outside,
                 recipe::WhereFound, recipe::UpdateOneShard, recipe::Pieces, recipe::Shifted,
                 recipe::LargestFirst, recipe::PlaceInZeros, recipe::OnOneDevice, recipe::Dealt,
                 recipe::SumAround>;

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_RECIPE_H_
