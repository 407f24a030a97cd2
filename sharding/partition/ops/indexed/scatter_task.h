// The scatter that each way of partitioning it (scatter.cc) begins with. All operands have one sharding, and indices
// in padding point to no cell of the operands.

#ifndef TESSERA_SHARDING_PARTITION_OPS_INDEXED_SCATTER_TASK_H_
#define TESSERA_SHARDING_PARTITION_OPS_INDEXED_SCATTER_TASK_H_

#include <optional>
#include <vector>

#include "tessera/sharding/partition/ops/visit.h"

namespace tessera::sharding::partition {

struct ScatterTask {
  std::vector<PartitionedHlo> operands, updates;
  PartitionedHlo indices;
  Shape out_base;
  std::vector<Tiling> out;  // per leaf
  Dims slice_sizes;
  bool recurse = true;
};

ScatterTask ScatterTaskOf(Visit& v);

// The opcode at the root of the reducer, if its results may be combined in any order.
std::optional<Reduction> ReducerOf(const Visit& v);
// The identity of such a reducer.
recipe::Fill::Number IdentityOf(hlo::Opcode reducer);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_OPS_INDEXED_SCATTER_TASK_H_
