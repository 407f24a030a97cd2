// What gather and scatter share: corresponding dimensions of operand, indices and output, and
// tilings carried between them. "Output" is the result of a gather, the updates of a scatter. XLA:
// hlo_sharding_util and gather_scatter_handler.cc.

#ifndef TESSERA_SHARDING_PARTITION_OPS_INDEXED_INDEXED_H_
#define TESSERA_SHARDING_PARTITION_OPS_INDEXED_INDEXED_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "tessera/sharding/partition/ops/visit.h"
#include "tessera/sharding/partition/tiling/grouping.h"

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

// --- Indices of a device -------------------------------------------------------------------------
// For each element of an index vector a number on each device.
struct IndexBounds {
  std::vector<TableId> limit;        // the last index that is valid in the whole operand
  std::vector<TableId> first, last;  // the indices of the shard; of dimensions not in `dims` all
};
// For an operand that is sharded along `dims`. Empty lists if recipes are not kept.
IndexBounds BoundsOf(const IndexedOp& op, const PartitionedHlo& operand, Ints dims,
                     Ints slice_sizes);
// The numbers as an array of the shape of a shard of indices.
NodeId PerIndex(const IndexedOp& op, Graph& graph, const Shape& shape,
                const std::vector<TableId>& numbers);
// Indices counted from the first element of the device's shard on, along these operand dimensions.
NodeId FromFirstOf(const IndexedOp& op, NodeId indices, const PartitionedHlo& operand, Ints dims);

// --- From one array to another -------------------------------------------------------------------
std::optional<Tiling> OutputFromOperand(const IndexedOp& op, const Shape& operand,
                                        const Tiling& tiling, Ints slice_sizes);
Tiling OutputFromIndices(const IndexedOp& op, const Tiling& indices);
Tiling IndicesFromOutput(const IndexedOp& op, const Tiling& output);
// Merges the shards of `from` except along `grouped`: the number of their groups must equal that of
// the other arrays.
void MergeBeside(Ints grouped, const Tiling& from, Tiling* into);
// Tilings that shard these dimensions of operand and indices alike; nothing if neither is sharded
// there, or if the two cannot be merged.
std::optional<std::pair<Tiling, Tiling>> CutAlikeAlong(const Tiling& operand, int64_t operand_rank,
                                                       const Tiling& indices, int64_t indices_rank,
                                                       const IndexedDims& dims);

// The value inside groups, resharded to them first.
PartitionedHlo InGroups(const PartitionedHlo& value, const Grouping& groups);

// Unimplemented if an operand is partly manual and the result is not: their groups differ. JAX
// writes no such module.
absl::Status CheckManualAlike(Visit& v);

// A dry run: the largest memory and the communication in bytes, compared in this order; the most if
// the way does not apply.
using Cost = std::pair<int64_t, int64_t>;
Cost CostOfRun(DeviceGroupScope& scope, Opcode opcode,
               const std::function<std::optional<NodeId>()>& run);
// A stand-in for the value in a dry run.
PartitionedHlo StandIn(const PartitionedHlo& value, DeviceGroupScope& scope);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_OPS_INDEXED_INDEXED_H_
