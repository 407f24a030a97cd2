#include "tessera/pipeline/verbs/golden/diff_costs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tessera/cost/kernel/kernel_time.h"
#include "tessera/cost/step/step_cost.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/command_line/format_seconds.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/search/variants/target_cost.h"
#include "tessera/target/priority_fusion/fusion_memory.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using layout::FormatBytes;

absl::StatusOr<cost::StepCost> CostOf(const hlo::Module& module, const ShardOptions& options,
                                      const TargetChoice& target) {
  TESSERA_ASSIGN_OR_RETURN(const PartitionerInput input,
                           PropagatedInput(module, OptionsBehindCleanUps(options)));
  target::FusionMemory fusions;
  return CostOnTarget(input, target, &fusions);
}

absl::StatusOr<std::vector<CollectiveLine>> LinesOf(const hlo::Module& module,
                                                    const ShardOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(const PartitionerInput input,
                           PropagatedInput(module, OptionsBehindCleanUps(options)));
  return ListCollectives(input);
}

// The bytes of one opcode for one operation of the program.
struct SentBy {
  std::string op, op_name, location;
  int64_t before = 0, after = 0;

  int64_t difference() const { return before < after ? after - before : before - after; }
};

// By opcode and op_name, as lines move; the largest differences first.
std::vector<SentBy> Differences(const std::vector<CollectiveLine>& a,
                                const std::vector<CollectiveLine>& b) {
  std::map<std::pair<std::string, std::string>, SentBy> sums;
  const auto add = [&](const std::vector<CollectiveLine>& lines, int64_t SentBy::*side) {
    for (const CollectiveLine& line : lines) {
      const std::string& name = line.op_name.empty() ? line.consumer : line.op_name;
      SentBy& sum = sums[{line.op, name}];
      sum.op = line.op, sum.op_name = name, sum.location = line.location;
      sum.*side += line.total();
    }
  };
  add(a, &SentBy::before);
  add(b, &SentBy::after);
  std::vector<SentBy> list;
  for (auto& [key, sum] : sums) {
    if (sum.difference() > 0) list.push_back(std::move(sum));
  }
  absl::c_stable_sort(
      list, [](const SentBy& x, const SentBy& y) { return x.difference() > y.difference(); });
  return list;
}

std::string NoteOnSent(const hlo::Module& a, const ShardOptions& options_a, const hlo::Module& b,
                       const ShardOptions& options_b) {
  constexpr size_t kShown = 3;
  const auto before = LinesOf(a, options_a), after = LinesOf(b, options_b);
  if (!before.ok() || !after.ok()) return "";
  std::string note =
      absl::StrCat("note: a device sends ", FormatBytes(TotalSent(*before)), " in A, ",
                   FormatBytes(TotalSent(*after)), " in B (tessera collectives)\n");
  const std::vector<SentBy> differences = Differences(*before, *after);
  for (size_t k = 0; k < std::min(differences.size(), kShown); ++k) {
    const SentBy& one = differences[k];
    absl::StrAppend(&note, "  ", one.op, ": ", FormatBytes(one.before), " -> ",
                    FormatBytes(one.after), one.op_name.empty() ? "" : ", ", one.op_name,
                    one.location.empty() ? "" : "  # ", one.location, "\n");
  }
  if (differences.size() > kShown) {
    absl::StrAppend(&note, "  and ", differences.size() - kShown, " more\n");
  }
  return note;
}

}  // namespace

std::string NoteOnCosts(const GoldenRun& before, const ShardOptions& options_a,
                        const GoldenRun& after, const ShardOptions& options_b,
                        const std::optional<TargetChoice>& target) {
  if (!before.module.has_value() || !after.module.has_value()) return "";
  if (!target.has_value()) return NoteOnSent(*before.module, options_a, *after.module, options_b);
  const auto a = CostOf(*before.module, options_a, *target);
  const auto b = CostOf(*after.module, options_b, *target);
  for (const auto* cost : {&a, &b}) {
    if (cost->ok()) continue;
    return absl::StrCat("note: the costs are not known: ", cost->status().message(), "\n");
  }
  const bool has_times = cost::KernelClock::Of(target->target).ok();
  const std::string time = has_times
                               ? absl::StrCat("a step takes ", FormatSeconds(a->seconds()),
                                              " in A, ", FormatSeconds(b->seconds()), " in B; ")
                               : "";
  return absl::StrCat("note: on ", target->target.ToString(), ", ", time, "memory peaks at ",
                      FormatBytes(a->memory), " and ", FormatBytes(b->memory), "; a device sends ",
                      FormatBytes(a->sent), " and ", FormatBytes(b->sent), " (tessera cost)\n");
}

}  // namespace tessera::pipeline
