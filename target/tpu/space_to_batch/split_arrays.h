// Arrays whose width is split into parts that lie beside each other in the batch: the arrays of `space-to-batch`.
//
//   const Split split = {/*batch=*/0, /*width=*/2, /*part=*/9};
//   SplitArrays arrays(program);
//   arrays.Make(x, split, 1);                // bf16[2,64,64,32] -> bf16[64,16,9,32], one column of zeros in front
//   arrays.WithNeighbours(y, split, 1, 1);   // bf16[64,16,9,32] -> bf16[64,16,11,32]
//   arrays.Join(y, split, program.shape(x)); // bf16[64,16,9,32] -> bf16[2,64,64,32]
//
// The batch moves in front of the width, all other dimensions keep their order. An image is kParts parts of so many
// columns, the last ones beyond its width. The form is that of XLA's pass. What moves columns between parts is copied
// (../copies.h): the parts are rows and lanes of other tiles. Tested by space_to_batch_test.cc.

#ifndef TESSERA_TARGET_TPU_SPACE_TO_BATCH_SPLIT_ARRAYS_H_
#define TESSERA_TARGET_TPU_SPACE_TO_BATCH_SPLIT_ARRAYS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "tessera/layout/shape.h"
#include "tessera/target/program/device_program.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {

inline constexpr int64_t kParts = 8;

// Of an array: its dimensions, and the columns of a part.
struct Split {
  int64_t batch = 0, width = 0, part = 0;

  // The dimensions of the array as they lie in the split one: 0,1,2,3 -> 1,0,2,3.
  IntList Order(int64_t rank) const;
  // Where dimension `d` is in the split array.
  int64_t At(int64_t d, int64_t rank) const;
  // The sizes of the split array of one with these.
  IntList Sizes(const layout::Shape& array) const;
  // `labels` has a letter for each dimension: b01f -> 0b1f.
  std::string Permuted(const std::string& labels) const;

  friend bool operator==(const Split& a, const Split& b) {
    return a.batch == b.batch && a.width == b.width && a.part == b.part;
  }
};

struct SplitValue {
  InstructionId id = kNoId;
  Split split;
};

class SplitArrays {
 public:
  explicit SplitArrays(DeviceProgram& program) : program_(program) {}

  // `before`: columns of zeros in front.
  InstructionId Make(InstructionId x, const Split& split, int64_t before);
  // The array of this shape again.
  InstructionId Join(InstructionId x, const Split& split, const layout::Shape& shape);
  // From parts of one number of columns to parts of another one.
  InstructionId Repart(InstructionId x, const Split& from, const Split& to,
                       const layout::Shape& shape);
  // `low` columns of the part in front of each part, the part, and `high` columns of the one after it.
  // `fill` beyond the first part and the last one; kNoId: zeros.
  InstructionId WithNeighbours(InstructionId x, const Split& split, int64_t low, int64_t high,
                               InstructionId fill = kNoId);
  // The columns that stand `by` columns after each one, or in front of it where that is negative.
  InstructionId Shifted(InstructionId x, const Split& split, int64_t by);
  // `fill`, a scalar, in the columns beyond the width; kNoId: zero.
  InstructionId Valid(InstructionId x, const Split& split, const layout::Shape& shape,
                      InstructionId fill);
  // Nothing where the broadcast goes along the width.
  std::optional<InstructionId> Broadcast(InstructionId broadcast, const Split& split);

  InstructionId Zero(InstructionId like);

 private:
  InstructionId Parts(InstructionId x, const Split& split);
  InstructionId Mask(InstructionId x, int64_t parts, int64_t part, int64_t width);
  InstructionId Merged(InstructionId x, int64_t at);
  InstructionId Neighbour(InstructionId parts, int64_t at, int64_t columns, bool is_in_front,
                          InstructionId fill);
  InstructionId Concatenated(absl::Span<const InstructionId> arrays, int64_t dimension);
  InstructionId Pad(InstructionId x, int64_t dimension, int64_t low, int64_t high,
                    InstructionId fill = kNoId);

  DeviceProgram& program_;
  absl::flat_hash_map<std::pair<InstructionId, int64_t>, InstructionId> broadcasts_;  // by part
  absl::flat_hash_map<InstructionId, InstructionId> parts_, valid_;
  absl::flat_hash_map<std::tuple<int64_t, int64_t, int64_t>, InstructionId> masks_;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_TPU_SPACE_TO_BATCH_SPLIT_ARRAYS_H_
