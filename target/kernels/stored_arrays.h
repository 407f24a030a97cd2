// How a chip stores the arrays of a module that its compiler has not laid out yet.
//
//   StoredArrays stored(module, ParseTarget("tpu-v5e:4x4")->chip);
//   stored.Registers(id);       // f32[64,4,257,257] of a product with two batch dimensions: 101376
//
// A TPU takes the layout of target/layouts, with what products, convolutions and gathers ask for. All else
// takes the two dimensions that pad least (registers.h).
//
// Each distinct shape is looked at once. Tested by loop_kernels_test.cc.

#ifndef TESSERA_TARGET_KERNELS_STORED_ARRAYS_H_
#define TESSERA_TARGET_KERNELS_STORED_ARRAYS_H_

#include <optional>

#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/module.h"
#include "tessera/target/layouts/array_sizes.h"
#include "tessera/target/layouts/layout_preferences.h"
#include "tessera/target/target.h"

namespace tessera::target {

class StoredArrays {
 public:
  // `chip`: null for one that is not known. Both must outlive this.
  StoredArrays(const hlo::Module& module, const Chip* chip);

  double Registers(hlo::InstructionId id) const { return SizeOf(id).registers; }
  double LowTiles(hlo::InstructionId id) const { return SizeOf(id).low_tiles; }
  // As it lies at the border of a program, and with its dimensions in their order. Without tiles where no chip is known.
  layout::Shape AtBorder(hlo::InstructionId id) const;
  layout::Shape Within(hlo::InstructionId id) const;  // as operations ask for it
  layout::Shape RowMajor(hlo::InstructionId id) const;

 private:
  struct Size {
    double registers = 0, low_tiles = 0;
  };
  Size SizeOf(hlo::InstructionId id) const;

  const hlo::Module& module_;
  std::optional<ArraySizes> sizes_;  // of a TPU
  std::optional<LayoutPreferences> preferences_;
  mutable absl::flat_hash_map<hlo::ShapeId, Size> sizes_of_;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_STORED_ARRAYS_H_
