// Dots, and convolutions seen as dots: pairs of dimensions that are batch, contracting, or of one
// operand only, and the devices divided along them.

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
  DotDimList batch, contracting, lhs_own, rhs_own;
  DotDimList spatial;  // true windows of a convolution
  int64_t lhs_rank = 0, rhs_rank = 0, out_rank = 0;
};

enum class Side : uint8_t { kLhs, kRhs, kOut };
int64_t DimOf(const DotDim& dim, Side side);
Dims DimsOf(const DotDimList& dims, Side side);
// Product of the cuts along these dimensions.
int64_t CutsOf(const Tiling& tiling, const DotDimList& dims, Side side);
// The tiling of one array as that of another one; nothing if a cut dimension is not in both.
std::optional<Tiling> Carried(const Tiling& tiling, const DotDims& dims, Side from, Side to);
// What the result wants of an operand (kLhs or kRhs); with `other`, as far as it agrees, what the
// other operand wants too.
Tiling ImpliedOperand(const Tiling& result, const Tiling* other, Side operand, const DotDims& dims);

struct DotJob;

// Operands and result at one level of the recursion.
struct DotTask {
  Value lhs, rhs;
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
  std::function<NodeId(const Value& lhs, const Value& rhs, const hlo::Window& window)> local;
  // In place of it, with what must follow: set by the innermost contracting groups.
  std::function<NodeId(const Value& lhs, const Value& rhs, const hlo::Window& window)> wrapped;
  hlo::Window window;  // of a convolution
  // Of a convolution, tried first: `decided` ends the try whatever it gives.
  std::function<DotTry(const DotTask& task, bool& decided)> first;

  NodeId Local(const Value& lhs, const Value& rhs) const {
    return wrapped ? wrapped(lhs, rhs, window) : local(lhs, rhs, window);
  }
  NodeId Local(const Value& lhs, const Value& rhs, const hlo::Window& adjusted) const {
    return wrapped ? wrapped(lhs, rhs, adjusted) : local(lhs, rhs, adjusted);
  }
};

// The node of the result as `task.out` wants it. Never fails.
NodeId SolveDot(DotJob& job, DotTask task);

// The same for an instruction with two operands. Never fails.
NodeId SolveDotOf(Visit& v, DotJob& job);

// --- Ways (dot_whole.cc, dot_batch.cc, dot_own.cc, dot_contracting.cc) ---------------------------
// All devices along one kind of dimension.
DotTry DotOnWhole(DotJob& job, const DotTask& task, bool may_move);
DotTry DotInBatchGroups(DotJob& job, const DotTask& task);
DotTry DotInBatchGroupsOf(DotJob& job, const DotTask& task, const DotDims& dims);
DotTry DotInOwnGroups(DotJob& job, const DotTask& task);
DotTry DotInContractingGroups(DotJob& job, const DotTask& task);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_OPS_DOT_DOT_H_
