// The layouts of a program before its compilation, by the rule of its target.
//
//   const ProgramLayouts all = PredictLayouts(device_module, *ParseTarget("tpu-v5e:4x4")->chip);
//   all.arrays[0].shape, all.arrays[0].padding
//
// The module is that of one device, after the partitioner. Arguments and results lie by the rule
// (layout/tpu_layout.h), which held for all that were looked at (docs/compiled.md). Temporaries are what products,
// convolutions, collectives, sorts, gathers, scatters and reductions compute. Half of the large ones lie by it, nine
// in ten have that size; the order of others is chosen by a product. Which others get a memory of their own is
// decided later. A result that takes the memory of an argument is counted with that.
//
// Cost: linear in the instructions. Tested by program_layouts_test.cc, and on the compilers' modules
// by testing/compiled/layouts.py.

#ifndef TESSERA_PIPELINE_VERBS_LAYOUT_PREDICTED_LAYOUTS_H_
#define TESSERA_PIPELINE_VERBS_LAYOUT_PREDICTED_LAYOUTS_H_

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/verbs/layout/program_layouts.h"
#include "tessera/target/target.h"

namespace tessera::pipeline {

// OutOfRange where bytes leave 64 bits.
absl::StatusOr<ProgramLayouts> PredictLayouts(const hlo::Module& device, const target::Chip& chip);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_LAYOUT_PREDICTED_LAYOUTS_H_
