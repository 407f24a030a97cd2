// The custom calls that have a meaning: markers of sharding and placement, and top-k.
#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "tessera/testing/evaluator/kernel.h"

namespace tessera::testing::evaluator {
namespace {

struct TargetRow {
  absl::string_view target;
  Kernel kernel;
};
constexpr TargetRow kTargets[] = {
    {"Sharding", FirstOperand},
    {"annotate_device_placement", FirstOperand},
    {"MoveToDevice", FirstOperand},
    {"MoveToHost", FirstOperand},
    {"TopK", TopK},
    {"xla.sdy.FuncResultSharding", FirstOperand},
    {"xla.sdy.PropagationBarrier", FirstOperand},
    {"xla.sdy.ShardingGroup", Zero},
};

}  // namespace

absl::StatusOr<Value> CustomCall(const Op& op) {
  const std::string target = hlo::GetCustomCallTarget(op.module, op.id);
  const TargetRow* row = std::find_if(std::begin(kTargets), std::end(kTargets),
                                      [&](const TargetRow& r) { return r.target == target; });
  if (row == std::end(kTargets))
    return absl::UnimplementedError(absl::StrCat("custom call ", target));
  return row->kernel(op);
}

}  // namespace tessera::testing::evaluator
