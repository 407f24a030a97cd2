// Dots, and convolutions that are cut like dots, in windows, which XLA calls windowed einsum: each device multiplies
// the shard that it has while permutes bring the next one, instead of waiting for an all-gather.
//
//   // f32[8192,64] by rows on 8 devices, times f32[64,512] cut along what is contracted:
//   // 3 trips of a loop that send f32[1,8,512] around, in place of an all-gather of f32[64,512]
//   DotInWindows(job, task)
//
// One operand moves if the other one is cut along a dimension of its own, on all devices and as the
// result is. Where both are cut along what is contracted, the result moves: sums are passed on.
// Windows pay if the product of all shards takes longer than two shards take to arrive (XLA's cost
// model, with the one number of Options). Nobody else may have a use for what would be gathered.
// Tested by testing/partition/windows_run_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_OPS_DOT_WINDOWS_H_
#define TESSERA_SHARDING_PARTITION_OPS_DOT_WINDOWS_H_

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "tessera/sharding/partition/ops/dot/dot.h"
#include "tessera/sharding/partition/reshard/recipe.h"

namespace tessera::sharding::partition {

// Operands and result as a group of `devices` has them.
struct WindowTask {
  Tiling lhs, rhs, out;
  // How often each is cut. Of what was already cut into groups, some counts are those of before.
  struct Cuts {
    int64_t own = 1, contracting = 1, batch = 1, out_own = 1;
  };
  Cuts of_lhs, of_rhs;
  int64_t devices = 1;
};

struct WindowPlan {
  recipe::Windows::Kind kind = recipe::Windows::Kind::kContracting;
  bool lhs_moves = false;
};

// What would move (kOut: the result). Asked only where it could.
using MayMove = absl::FunctionRef<bool(Side)>;

// Multiplications and additions of two shards.
double FlopsOf(const DotJob& job, const Shape& lhs, const Shape& rhs);

std::optional<WindowPlan> PlanWindows(const DotDims& dims, const WindowTask& task,
                                      MayMove may_move);

// All devices of the task's scope exchange. Nothing if the target makes no windows, or they do not
// pay.
DotTry DotInWindows(DotJob& job, const DotTask& task);

// Whether another user of the operand needs it gathered in the same way, so that one gather serves
// both (windows_shared.cc).
bool SharesGather(const Visit& v, Side operand);

// --- Which dimensions make groups first (which_windows.cc) ---------------------------------------
// Where both operands could make groups along dimensions of their own: whether those of the left one
// do. Nothing if the target makes no windows.
std::optional<bool> LhsMakesGroups(const DotJob& job, const DotTask& task);
// Whether groups along what is contracted come before those along dimensions of the left operand.
// They never come before those along dimensions of the right one.
bool ContractingMakesGroupsFirst(const DotJob& job, const DotTask& task);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_OPS_DOT_WINDOWS_H_
