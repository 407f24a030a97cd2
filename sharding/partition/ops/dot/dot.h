// Dots, and convolutions as dots: batch, contracting and non-contracting dimensions, and device
// groups along them. XLA: dot_handler.cc, DotConvolutionDimsInfo.

#ifndef TESSERA_SHARDING_PARTITION_OPS_DOT_DOT_H_
#define TESSERA_SHARDING_PARTITION_OPS_DOT_DOT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/ops/visit.h"
#include "tessera/sharding/partition/reshard/reshard.h"
#include "tessera/sharding/partition/tiling/grouping.h"

namespace tessera::sharding::partition {

// One index of the operation: its dimension in each of the three arrays, -1 where it has none.
struct DotDim {
  int64_t lhs = -1, rhs = -1, out = -1;
  int64_t spatial = -1;  // of a convolution
};
using DotDimList = std::vector<DotDim>;

struct DotDims {
  DotDimList batch, contracting, lhs_non_contracting, rhs_non_contracting;
  DotDimList spatial;  // true windows of a convolution
  int64_t lhs_rank = 0, rhs_rank = 0, out_rank = 0;
};

enum class Side : uint8_t { kLhs, kRhs, kOut };
int64_t DimOf(const DotDim& dim, Side side);
Dims DimsOf(const DotDimList& dims, Side side);
// Number of shards along these dimensions.
int64_t CutsOf(const Tiling& tiling, const DotDimList& dims, Side side);
// The tiling of one array carried to another one; nothing if a sharded dimension is not in both.
std::optional<Tiling> Carried(const Tiling& tiling, const DotDims& dims, Side from, Side to);
DotDims DimsOfDot(const hlo::Module& module, hlo::InstructionId id);
// The operand tiling (kLhs or kRhs) that the result implies, merged with the one that `other`
// implies if the two agree.
Tiling ImpliedOperand(const Tiling& result, const Tiling* other, Side operand, const DotDims& dims);

struct DotJob;

// Operands and result at one level of the recursion.
struct DotTask {
  PartitionedHlo lhs, rhs;
  Shape out_base;
  Tiling out;
  int64_t devices = 1;
  bool strict = true;  // groups must fit without moving data
};

// A try: nothing if it fails.
using DotTry = std::optional<NodeId>;

struct DotJob {
  DotDims dims;
  // The operation on shards.
  std::function<NodeId(const PartitionedHlo& lhs, const PartitionedHlo& rhs,
                       const hlo::Window& window)>
      local;
  // In place of it, with what must follow: set by the innermost contracting groups.
  std::function<NodeId(const PartitionedHlo& lhs, const PartitionedHlo& rhs,
                       const hlo::Window& window)>
      wrapped;
  // The result of two shards.
  std::function<Shape(const Shape& lhs, const Shape& rhs)> shape;
  hlo::Window window;  // of a convolution
  const Visit* visit = nullptr;
  int64_t windows = 0;  // number of loops made so far (windows.h)
  // Of a convolution, tried first: `decided` ends the try whatever it gives.
  std::function<DotTry(const DotTask& task, bool& decided)> first;

  NodeId Local(const PartitionedHlo& lhs, const PartitionedHlo& rhs) const {
    return wrapped ? wrapped(lhs, rhs, window) : local(lhs, rhs, window);
  }
  NodeId Local(const PartitionedHlo& lhs, const PartitionedHlo& rhs,
               const hlo::Window& adjusted) const {
    return wrapped ? wrapped(lhs, rhs, adjusted) : local(lhs, rhs, adjusted);
  }
};

// The node of the result as `task.out` wants it. Never fails.
NodeId SolveDot(DotJob& job, DotTask task);

// The same for an instruction with two operands. Never fails.
NodeId SolveDotOf(Visit& v, DotJob& job);

// --- Ways (dot_one_kind.cc, dot_batch.cc, dot_non_contracting.cc, dot_contracting.cc) ---------------------------
// All devices along one kind of dimension.
DotTry DotOnOneKindOfDims(DotJob& job, const DotTask& task, bool may_move);
DotTry DotGroupOnBatch(DotJob& job, const DotTask& task);
DotTry DotGroupOnBatchOf(DotJob& job, const DotTask& task, const DotDims& dims);
DotTry DotGroupOnNonContracting(DotJob& job, const DotTask& task);
DotTry DotGroupOnContracting(DotJob& job, const DotTask& task);

// --- The groups of two ways, without the dot itself ------------------------------------------------
// All non-contracting dimensions of `side`.
struct NonContractingGrouping {
  Grouping out, matching;
  std::optional<Grouping> other;
};
std::optional<NonContractingGrouping> NonContractingGroupingOf(DotJob& job, const DotTask& task,
                                                               Side side);
// All contracting dimensions.
struct ContractingGrouping {
  Grouping lhs, rhs;
  Tiling out;      // inside a group
  Shape out_base;  // the part of a group
};
std::optional<ContractingGrouping> ContractingGroupingOf(DotJob& job, const DotTask& task);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_OPS_DOT_DOT_H_
