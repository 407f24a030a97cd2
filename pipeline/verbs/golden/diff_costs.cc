#include "tessera/pipeline/verbs/golden/diff_costs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tessera/cost/kernel/kernel_time.h"
#include "tessera/cost/step/step_cost.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/command_line/format_seconds.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/golden/golden_run.h"
#include "tessera/pipeline/verbs/search/variants/target_cost.h"
#include "tessera/pipeline/verbs/search/variants/variant_text.h"
#include "tessera/target/priority_fusion/fusion_memory.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using layout::FormatBytes;

absl::StatusOr<PartitionerInput> InputOf(const PricedSide& side) {
  return PropagatedInput(*side.run.module, OptionsBehindCleanUps(side.options));
}

absl::StatusOr<cost::StepCost> CostOf(const PricedSide& side) {
  TESSERA_ASSIGN_OR_RETURN(const PartitionerInput input, InputOf(side));
  target::FusionMemory fusions;
  return CostOnTarget(input, *side.target, &fusions);
}

absl::StatusOr<std::vector<CollectiveLine>> LinesOf(const PricedSide& side) {
  TESSERA_ASSIGN_OR_RETURN(const PartitionerInput input, InputOf(side));
  return ListCollectives(input);
}

// The bytes of one opcode for one operation of the program.
struct SentBy {
  std::string op, op_name;
  std::set<std::string> lines_before, lines_after;
  int64_t before = 0, after = 0;

  int64_t difference() const { return before < after ? after - before : before - after; }
};

// By opcode and op_name, as lines move; the largest differences first.
std::vector<SentBy> Differences(const std::vector<CollectiveLine>& a,
                                const std::vector<CollectiveLine>& b) {
  std::map<std::pair<std::string, std::string>, SentBy> sums;
  const auto add = [&](const std::vector<CollectiveLine>& lines, int64_t SentBy::*side,
                       std::set<std::string> SentBy::*places) {
    for (const CollectiveLine& line : lines) {
      const std::string& name = line.op_name.empty() ? line.consumer : line.op_name;
      SentBy& sum = sums[{line.op, name}];
      sum.op = line.op, sum.op_name = name;
      if (!line.location.empty()) (sum.*places).insert(line.location);
      sum.*side += line.total();
    }
  };
  add(a, &SentBy::before, &SentBy::lines_before);
  add(b, &SentBy::after, &SentBy::lines_after);
  std::vector<SentBy> list;
  for (auto& [key, sum] : sums) {
    if (sum.difference() > 0) list.push_back(std::move(sum));
  }
  absl::c_stable_sort(
      list, [](const SentBy& x, const SentBy& y) { return x.difference() > y.difference(); });
  return list;
}

// "  # model.py:20 and 2 other lines", of B if it has any.
std::string PlacesText(const SentBy& one) {
  const std::set<std::string>& lines = one.lines_after.empty() ? one.lines_before : one.lines_after;
  if (lines.empty()) return "";
  const size_t others = lines.size() - 1;
  const char* const what = others == 1 ? " other line" : " other lines";
  return absl::StrCat("  # ", *lines.begin(),
                      others == 0 ? "" : absl::StrCat(" and ", others, what));
}

std::string RowText(absl::string_view what, absl::string_view before, absl::string_view after) {
  return absl::StrFormat("%-20s %14s %14s\n", what, before, after);
}

}  // namespace

std::string NoteOnSent(const PricedSide& a, const PricedSide& b) {
  constexpr size_t kShown = 3;
  if (!a.run.module.has_value() || !b.run.module.has_value()) return "";
  const auto before = LinesOf(a), after = LinesOf(b);
  if (!before.ok() || !after.ok()) return "";
  std::string note =
      absl::StrCat("note: a device sends ", FormatBytes(TotalSent(*before)), " in A, ",
                   FormatBytes(TotalSent(*after)), " in B (tessera collectives)\n");
  const std::vector<SentBy> differences = Differences(*before, *after);
  for (size_t k = 0; k < std::min(differences.size(), kShown); ++k) {
    const SentBy& one = differences[k];
    absl::StrAppend(&note, "  ", one.op, ": ", FormatBytes(one.before), " -> ",
                    FormatBytes(one.after), one.op_name.empty() ? "" : ", ", one.op_name,
                    PlacesText(one), "\n");
  }
  if (differences.size() > kShown) {
    absl::StrAppend(&note, "  and ", differences.size() - kShown, " more\n");
  }
  return note;
}

std::optional<DiffCosts> CostsOfSides(const PricedSide& a, const PricedSide& b) {
  if (!a.run.module.has_value() || !b.run.module.has_value()) return std::nullopt;
  if (!a.target.has_value()) return std::nullopt;
  const target::Target& target = a.target->target;
  return DiffCosts{CostOf(a), CostOf(b), target.ToString(), cost::KernelClock::Of(target).ok()};
}

std::string CostsText(const DiffCosts& costs) {
  for (const auto* side : {&costs.before, &costs.after}) {
    if (side->ok()) continue;
    return absl::StrCat("the costs are not known: ", side->status().message(), "\n");
  }
  const cost::StepCost &a = *costs.before, &b = *costs.after;
  std::string out = RowText(absl::StrCat("on ", costs.target), "before", "after");
  if (costs.is_timed) {
    out += RowText("a step takes", FormatSeconds(a.seconds()), FormatSeconds(b.seconds()));
  }
  return absl::StrCat(
      out, RowText("memory peaks at", FormatBytes(a.memory), FormatBytes(b.memory)),
      RowText("a device sends", FormatBytes(a.sent), FormatBytes(b.sent)),
      RowText("in collectives", absl::StrCat(a.collectives), absl::StrCat(b.collectives)));
}

void FillCosts(const DiffCosts& costs, answers::ComparisonAnswer* to) {
  FillOutcome(costs.before, costs.is_timed, to->mutable_costs_before());
  FillOutcome(costs.after, costs.is_timed, to->mutable_costs_after());
}

}  // namespace tessera::pipeline
