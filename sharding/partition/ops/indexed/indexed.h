// What gather and scatter share: which dimensions of operand, indices and output (of a gather; the
// updates of a scatter) belong together, and what a tiling of one says about the others.

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

// Operand dimensions that are taken whole, and where they are in the output.
IndexedDims WholeDims(const IndexedOp& op, const Shape& operand, Ints slice_sizes);
// Explicit batches; nothing if there are none.
std::optional<IndexedDims> BatchDims(const IndexedOp& op);
// Dimensions in which the index counts 0, 1, 2, ..: batches that are not said to be such.
std::optional<IndexedDims> CountedDims(const IndexedOp& op);
// Index dimensions that are only looked up: neither the vector nor a batch of either kind.
IndexedDims LookupDims(const IndexedOp& op);
// Indexed operand dimensions of which one element is taken, if they are cut.
std::optional<Dims> TrivialDims(const IndexedOp& op, const Tiling& operand, Ints slice_sizes);

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
// For an operand that is cut along `dims`. Empty lists where recipes are not kept.
IndexBounds BoundsOf(const IndexedOp& op, const Value& operand, Ints dims, Ints slice_sizes);
// The numbers as an array of the shape of a shard of indices.
NodeId PerIndex(const IndexedOp& op, Graph& graph, const Shape& shape,
                const std::vector<TableId>& numbers);
// Indices counted from the first element of the device's shard on, along these operand dimensions.
NodeId FromFirstOf(const IndexedOp& op, NodeId indices, const Value& operand, Ints dims);

// --- From one array to another -------------------------------------------------------------------
std::optional<Tiling> OutputFromOperand(const IndexedOp& op, const Shape& operand,
                                        const Tiling& tiling, Ints slice_sizes);
Tiling OutputFromIndices(const IndexedOp& op, const Tiling& indices);
Tiling IndicesFromOutput(const IndexedOp& op, const Tiling& output);
// Takes over the cuts of `from` but along the dimensions `grouped`: their groups must be as many as
// those of the arrays beside them.
void MergeBeside(Ints grouped, const Tiling& from, Tiling* into);
// Tilings of operand and indices that cut these dimensions alike; nothing if neither is cut there,
// or if they cannot be brought together.
std::optional<std::pair<Tiling, Tiling>> CutAlikeAlong(const Tiling& operand, int64_t operand_rank,
                                                       const Tiling& indices, int64_t indices_rank,
                                                       const IndexedDims& dims);

// The value inside groups, resharded to them first.
Value InGroups(const Value& value, const Grouping& groups);

// Unimplemented if an operand is partly manual and the result is not: groups of the one do not fit
// those of the other. JAX writes no such module.
absl::Status CheckManualAlike(Visit& v);

// A dry run: the largest memory and the communication in bytes, compared in this order; the most if
// the way does not apply.
using Cost = std::pair<int64_t, int64_t>;
Cost CostOfRun(Scope& scope, Opcode opcode, const std::function<std::optional<NodeId>()>& run);
// A stand-in for the value in a dry run.
Value StandIn(const Value& value, Scope& scope);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_OPS_INDEXED_INDEXED_H_
