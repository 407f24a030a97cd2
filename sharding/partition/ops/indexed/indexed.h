// What gather and scatter share: corresponding dimensions of operand, indices and output. "Output" is
// the result of a gather, the updates of a scatter. Tilings between them: indexed_tilings.h. XLA:
// hlo_sharding_util and gather_scatter_handler.cc.

#ifndef TESSERA_SHARDING_PARTITION_OPS_INDEXED_INDEXED_H_
#define TESSERA_SHARDING_PARTITION_OPS_INDEXED_INDEXED_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "tessera/sharding/partition/ops/visit.h"

namespace tessera::sharding::partition {

// Dimensions that belong together, one list an array.
struct IndexedDims {
  Dims operand, indices, output;
};

// The dimension numbers of a gather or scatter. "Output" is the updates of a scatter.
struct IndexedOp {
  const ModuleView* view = nullptr;
  const Shape* operand = nullptr;  // whole
  const Shape* indices = nullptr;
  hlo::InstructionId indices_id = hlo::kNoId;
  Dims index_map;  // operand dimension of each element of an index vector
  Dims collapsed;  // operand dimensions that the output lacks
  Dims operand_batch, indices_batch;
  Dims window;  // output dimensions that come from the operand
  Dims slice_sizes;
  int64_t index_vector_dim = 0;
  int64_t output_rank = 0;

  bool HasIndexVector() const { return index_vector_dim < indices->rank(); }
};

IndexedOp IndexedOpOfGather(const Visit& v);
IndexedOp IndexedOpOfScatter(const Visit& v);

// Operand dimensions that a slice takes completely, and their output dimensions.
IndexedDims OperandPassthroughDims(const IndexedOp& op, const Shape& operand, Ints slice_sizes);
// Explicit batches; nothing if there are none.
std::optional<IndexedDims> BatchDims(const IndexedOp& op);
// Dimensions in which the index counts 0, 1, 2, ..: implicit batch dimensions.
std::optional<IndexedDims> IotaBatchDims(const IndexedOp& op);
// Index dimensions other than the index vector and batches of either kind.
IndexedDims IndexPassthroughDims(const IndexedOp& op);
// Sharded operand dimensions of which each index takes one element.
std::optional<Dims> TrivialSlicedDims(const IndexedOp& op, const Tiling& operand, Ints slice_sizes);

// --- What may be replicated first ----------------------------------------------------------------
Dims OperandPriority(const IndexedOp& op, const Tiling& operand, Ints slice_sizes);
Dims IndexPriority(const IndexedOp& op);
Dims OutputPriority(const IndexedOp& op, Ints slice_sizes);

// Every index dimension but the vector, and where it is in the output.
IndexedDims ConnectedDims(const IndexedOp& op);

// Unimplemented if an operand is partly manual and the result is not: their groups differ. JAX
// writes no such module.
absl::Status CheckManualAlike(Visit& v);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_OPS_INDEXED_INDEXED_H_
