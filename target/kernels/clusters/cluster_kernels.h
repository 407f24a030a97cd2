// The kernels of a computation that no compiler has fused yet.

#ifndef TESSERA_TARGET_KERNELS_CLUSTERS_CLUSTER_KERNELS_H_
#define TESSERA_TARGET_KERNELS_CLUSTERS_CLUSTER_KERNELS_H_

#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/target/combine/kernel_graph.h"
#include "tessera/target/kernels/clusters/row_tables.h"
#include "tessera/target/kernels/kernel.h"
#include "tessera/target/kernels/loop_values.h"
#include "tessera/target/kernels/places.h"
#include "tessera/target/kernels/stored_arrays.h"
#include "tessera/target/target.h"

namespace tessera::target {

// Of all computations of a module.
struct ClusterFacts {
  LoopValues loops;
  StoredArrays stored;
  RowTables tables;
  NearMemory memory;
  Chip chip;                           // a CPU where none is known
  const FusedBefore* fused = nullptr;  // of a GPU: kernels that are known, by computation
};

// A gather or a scatter works on an array in the order of its dimensions: 216 of 224 fusions of theirs in final
// modules write so. Where an argument or a slice of what a loop hands on lies in another one, it is copied in front, and
// a result of the program after it. What a loop carries is copied around the loop (row_tables.h). A gather of slabs
// leaves them as they lie (layout_preferences.h).
//
// `order`: its instructions, operands first. What is taken of layouts and places in memory is in
// stored_arrays.h, places.h and layout_copies.h. What only copies, transposes or reshapes takes no time
// otherwise, as a layout may do it.
std::vector<DeviceKernel> ClusterKernels(const hlo::Module& module,
                                         const std::vector<hlo::InstructionId>& order,
                                         const ClusterFacts& facts);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_CLUSTERS_CLUSTER_KERNELS_H_
