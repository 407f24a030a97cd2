#include "tessera/pipeline/verbs/costs/time/kernel_costs.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tessera/pipeline/input/module_notes.h"

namespace tessera::pipeline {
namespace {

absl::Status BadKernelCost(const std::string& text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "--kernel-cost=", text, ": expected TARGET=FLOPS,BYTES, such as fast_attn=2e12,1e9"));
}

}  // namespace

Flag KernelCostFlag() {
  return {"kernel-cost", "TARGET=FLOPS,BYTES",
          "the cost of a custom call on a device: FLOPs, bytes read and written", "", true};
}

absl::StatusOr<cost::CallCosts> ReadKernelCosts(const Arguments& arguments) {
  cost::CallCosts calls;
  for (const std::string& text : arguments.All("kernel-cost")) {
    const std::vector<std::string> sides = absl::StrSplit(text, absl::MaxSplits('=', 1));
    if (sides.size() != 2 || sides[0].empty()) return BadKernelCost(text);
    const std::vector<std::string> numbers = absl::StrSplit(sides[1], ',');
    cost::CallCost call;
    if (numbers.size() != 2 || !absl::SimpleAtod(numbers[0], &call.flops) ||
        !absl::SimpleAtod(numbers[1], &call.bytes) || !(call.flops >= 0) || !(call.bytes >= 0)) {
      return BadKernelCost(text);
    }
    calls[sides[0]] = call;
  }
  return calls;
}

absl::Status CheckKernelsHaveTimes(const cost::CallCosts& calls, bool have_times) {
  if (calls.empty() || have_times) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--kernel-cost: needs a target whose kernels have times, such as --target=tpu-v5e:4x4");
}

std::string NoteOnKernelCosts(const hlo::Module& module, const cost::CallCosts& calls) {
  std::vector<std::string> targets;
  for (const auto& [target, call] : calls) targets.push_back(target);
  absl::c_sort(targets);
  return NoteOnTargets(module, "kernel-cost", targets);
}

}  // namespace tessera::pipeline
