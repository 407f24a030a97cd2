// The layouts that operations of a TPU want for the arrays that they make and read.
//
//   LayoutPreferences preferences(flow);
//   preferences.Of(shape).minor;       // dimensions that may be the most minor one, a bit each
//
// - A convolution has the features of activations most minor, and the batch next, or the other way round where that
//   pads less: so it was in all of 72 probes of 8 to 256 images with 16 to 320 features.
// - What only moves or reshapes an array of a convolution keeps its lanes, as the parts of few images
//   (target/tpu/space_to_batch).
// - The result of a product has no batch dimension among its two most minor ones. Nor has an operand that is a copy
//   for it (target/tpu).
// - What a reduction leaves of an array of a convolution keeps its order: the mean over the features has images and
//   columns in its tiles.
// - The result of a gather of rows, and its table, have the row most minor. A gather of slabs asks for nothing.
// - A slice that takes every second of 128 features, or of a multiple, keeps them in its lanes: the halves of rotated
//   queries in five of six programs.
// - A stack of which a loop makes or reads a layer at a time has whole tiles in each layer. In 58 final modules 1139
//   of 1188 slices of one row leave its dimension out of the tile; the others are of caches.
//
// A preference holds for every array of the same sizes, whose layout the compiler carries through elementwise operations,
// and for stacks of such arrays; the first one counts. Rules found from outside. Cost: linear. Tested by
// array_sizes_test.cc.

#ifndef TESSERA_TARGET_LAYOUTS_LAYOUT_PREFERENCES_H_
#define TESSERA_TARGET_LAYOUTS_LAYOUT_PREFERENCES_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/layout/shape.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/layouts/array_sizes.h"

namespace tessera::target {

class LayoutPreferences {
 public:
  explicit LayoutPreferences(const Dataflow& flow);
  // Of all computations, the entry first.
  explicit LayoutPreferences(const hlo::Module& module);

  // Everything, where nothing is asked for.
  MinorChoice Of(const layout::Shape& array) const;

 private:
  using Sizes = absl::InlinedVector<int64_t, 6>;

  void AskFor(const hlo::Module& module, hlo::InstructionId id);
  void Ask(const layout::Shape& array, MinorChoice choice);
  void AskForProduct(const hlo::Module& module, hlo::InstructionId id);
  void AskForCopy(const hlo::Module& module, hlo::InstructionId operand,
                  absl::Span<const int64_t> batch);
  void AskForConvolution(const hlo::Module& module, hlo::InstructionId id);
  void AskForGather(const hlo::Module& module, hlo::InstructionId id);
  void AskForReduction(const hlo::Module& module, hlo::InstructionId id);
  void AskForStack(const hlo::Module& module, hlo::InstructionId id);
  void AskForMoved(const hlo::Module& module, hlo::InstructionId id);
  void AskForStrided(const hlo::Module& module, hlo::InstructionId id);

  absl::flat_hash_map<Sizes, MinorChoice> preferences_;
  absl::flat_hash_set<Sizes> of_convolutions_;
  absl::flat_hash_set<Sizes> stacks_;
};

// Of a product: these dimensions, its batch, are in no tile.
MinorChoice OutOfTiles(absl::Span<const int64_t> batch);
// Of a reshape: the dimension of the result that dimension `d` is; -1 for none.
int64_t KeptDimension(const layout::Shape& from, const layout::Shape& to, int64_t d);

// A gather whose slices have more than one dimension, such as the caches of a beam. It leaves them as they lie.
bool GathersSlabs(const hlo::Module& module, hlo::InstructionId id);
// Another gather, whose result and table have the same last dimension, in whole.
bool GathersRows(const hlo::Module& module, hlo::InstructionId id);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_LAYOUTS_LAYOUT_PREFERENCES_H_
