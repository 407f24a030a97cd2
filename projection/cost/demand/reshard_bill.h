// File: projection/cost/demand/reshard_bill.h
//
// What it costs to go from one sharding to another: the exact demand, and a plan of collectives
// with its price.
//
//   // mesh x=4, y=2, f32[16,8]: [x],[y] -> [y],[x]
//   absl::StatusOr<ReshardBill> bill = PriceReshard(mesh, {16, 8}, 4, from, to);
//   bill->demand_total    // 384 bytes: what no plan can beat
//   bill->plan            // y to dimension 0, (x,y) to 1, y to 0: 960 bytes
#ifndef TESSERA_PROJECTION_COST_DEMAND_RESHARD_BILL_H_
#define TESSERA_PROJECTION_COST_DEMAND_RESHARD_BILL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/projection/core/point.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::projection {

enum class MoveKind {
  kSlice,          // a free axis to the minor end of `dim`; local
  kGather,         // the minor axes of `dim` go: all-gather
  kExchange,       // the minor axes of `dim` go to the minor end of `to`: all-to-all
  kReorder,        // the axes of `dim` in another order: collective-permute
  kRelabel,        // every dimension has its final number of parts: collective-permute
  kReduceScatter,  // partial results are combined and cut along `dim`
  kAllReduce,      // partial results are combined everywhere
};
const char* MoveKindName(
    MoveKind kind);  // "slice", "all-gather", "all-to-all", "collective-permute", ...

struct Move {
  MoveKind kind;
  std::vector<sharding::AxisRef> axes;  // that move; empty for a permute
  int dim = -1, to = -1;
  int64_t bytes = 0;  // over all devices
};

struct ReshardBill {
  std::vector<int64_t> demand;  // of each position: bytes of its new tile that it did not hold
  int64_t demand_total = 0, demand_max = 0;
  std::vector<Move> plan;  // a cheapest one: by bytes, then by moves
  int64_t plan_total = 0;
  std::vector<Move> greedy;  // by fixed rules, in no time
  int64_t greedy_total = 0;
  bool searched = true;  // false: too many states, `plan` is the greedy one

  int64_t excess() const { return plan_total - demand_total; }
};

// kRankMismatch; kNotSupported for sub-axes that no common split of their axis has; kOverflow.
absl::StatusOr<ReshardBill> PriceReshard(const sharding::Mesh& mesh, const ZPoint& shape,
                                         int64_t element_bytes,
                                         const sharding::TensorSharding& from,
                                         const sharding::TensorSharding& to);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_DEMAND_RESHARD_BILL_H_
