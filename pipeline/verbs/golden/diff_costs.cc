#include "tessera/pipeline/verbs/golden/diff_costs.h"

#include <algorithm>
#include <cmath>
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
#include "absl/strings/str_join.h"
#include "tessera/cost/kernel/kernel_time.h"
#include "tessera/cost/step/step_cost.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/command_line/format_seconds.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/costs/target/target_lines.h"
#include "tessera/pipeline/verbs/costs/time/time_note.h"
#include "tessera/pipeline/verbs/golden/golden_run.h"
#include "tessera/pipeline/verbs/search/variants/target_cost.h"
#include "tessera/pipeline/verbs/search/variants/variant_text.h"
#include "tessera/target/priority_fusion/fusion_memory.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using layout::FormatBytes;

absl::StatusOr<PartitionerInput> InputOf(const PricedSide& side) {
  return PropagatedInput(*side.run.module, OptionsAfterCleanUps(side.options));
}

absl::StatusOr<cost::StepCost> CostOf(const PricedSide& side) {
  TESSERA_ASSIGN_OR_RETURN(const PartitionerInput input, InputOf(side));
  target::FusionMemory fusions;
  return CostOnTarget(input, *side.target, side.calls, &fusions);
}

absl::StatusOr<std::vector<CollectiveLine>> LinesOf(const PricedSide& side) {
  TESSERA_ASSIGN_OR_RETURN(const PartitionerInput input, InputOf(side));
  return side.target.has_value() ? LinesOnTarget(input, *side.target) : ListCollectives(input);
}

absl::StatusOr<cost::StepCost> SumOf(const absl::StatusOr<std::vector<CollectiveLine>>& lines) {
  TESSERA_RETURN_IF_ERROR(lines.status());
  cost::StepCost cost;
  cost.sent = TotalSent(*lines);
  cost.collectives = static_cast<int64_t>(lines->size());
  return cost;
}

// What collectives move for an operation of the program, with the part of the bytes that is its own.
struct Share {
  std::string op_name, location;
  double bytes = 1;
};

// The arrays of a combined collective share it by their bytes.
std::vector<Share> SharesOf(const CollectiveLine& line) {
  if (!line.target.has_value() || line.target->parts.size() < 2) {
    return {{line.op_name.empty() ? line.consumer : line.op_name, line.location}};
  }
  std::vector<Share> shares;
  double all = 0;
  for (const MadeByTarget::Part& part : line.target->parts) {
    shares.push_back({part.op_names.empty() ? "" : part.op_names[0],
                      absl::StrJoin(part.locations, ", "), static_cast<double>(part.bytes)});
    all += shares.back().bytes;
  }
  for (Share& share : shares) share.bytes /= std::max(all, 1.0);
  return shares;
}

// By opcode and op_name, as lines move; the largest differences first.
std::vector<SentBy> Differences(const std::vector<CollectiveLine>& a,
                                const std::vector<CollectiveLine>& b) {
  std::map<std::pair<std::string, std::string>, SentBy> sums;
  const auto add = [&](const std::vector<CollectiveLine>& lines, int64_t SentBy::*side,
                       std::set<std::string> SentBy::*places) {
    for (const CollectiveLine& line : lines) {
      for (const Share& share : SharesOf(line)) {
        SentBy& sum = sums[{line.op, share.op_name}];
        sum.op = line.op, sum.op_name = share.op_name;
        if (!share.location.empty()) (sum.*places).insert(share.location);
        sum.*side += std::llround(static_cast<double>(line.total()) * share.bytes);
      }
    }
  };
  add(a, &SentBy::before, &SentBy::lines_before);
  add(b, &SentBy::after, &SentBy::lines_after);
  std::vector<SentBy> list;
  for (auto& [key, sum] : sums) {
    const bool looks_equal =
        FormatBytes(sum.before) == FormatBytes(sum.after);  // shares are rounded
    if (!looks_equal) list.push_back(std::move(sum));
  }
  absl::c_stable_sort(
      list, [](const SentBy& x, const SentBy& y) { return x.difference() > y.difference(); });
  return list;
}

// "model.py:20 and 2 other lines", of B if it has any.
std::string PlacesText(const SentBy& one) {
  const std::set<std::string>& lines = one.lines_after.empty() ? one.lines_before : one.lines_after;
  if (lines.empty()) return "";
  const size_t others = lines.size() - 1;
  const char* const what = others == 1 ? " other line" : " other lines";
  return absl::StrCat(*lines.begin(), others == 0 ? "" : absl::StrCat(" and ", others, what));
}

std::string DifferencesText(const std::vector<SentBy>& differences, size_t most) {
  const auto shown = First(differences, static_cast<int64_t>(most));
  std::string out;
  for (const SentBy& one : shown) {
    const std::string places = PlacesText(one);
    absl::StrAppend(&out, "  ", one.op, ": ", FormatBytes(one.before), " -> ",
                    FormatBytes(one.after), one.op_name.empty() ? "" : ", ", one.op_name,
                    places.empty() ? "" : "  # ", places, "\n");
  }
  const std::string more = MoreText(differences.size() - shown.size());
  return absl::StrCat(out, more.empty() ? "" : "  ", more);
}

std::string RowText(absl::string_view what, absl::string_view before, absl::string_view after) {
  return absl::StrFormat("%-20s %14s %14s\n", what, before, after);
}

// Whether either prediction lies where the compiler's figure of the other side is expected.
bool MayHaveEqualMemory(const cost::StepCost& a, const cost::StepCost& b) {
  const auto covers = [](const cost::StepCost& one, int64_t bytes) {
    return one.memory_low <= bytes && bytes <= one.memory_high;
  };
  return a.memory != b.memory && (covers(a, b.memory) || covers(b, a.memory));
}

std::string TimeText(double a, double b) {
  const std::string before = FormatSeconds(a), after = FormatSeconds(b);
  const bool is_close = before != after && std::abs(a - b) < kErrorOfTimes * std::max(a, b);
  return absl::StrCat(
      RowText("a step takes", before, after),
      is_close ? absl::StrFormat("  less apart than the error of predicted times, %.0f %%\n",
                                 100 * kErrorOfTimes)
               : "");
}

std::string MemoryText(const cost::StepCost& a, const cost::StepCost& b) {
  const auto range = [](const cost::StepCost& cost) {
    return absl::StrCat(FormatBytes(cost.memory_low), " to ", FormatBytes(cost.memory_high));
  };
  return absl::StrCat(RowText("memory peaks at", FormatBytes(a.memory), FormatBytes(b.memory)),
                      MayHaveEqualMemory(a, b)
                          ? absl::StrCat("  less apart than the error of a prediction: ", range(a),
                                         " before, ", range(b), " after\n")
                          : "");
}

constexpr absl::string_view kOfPartitioner =
    "bytes are of the partitioner's collectives, before later passes of a compiler; --target has "
    "the final ones\n";

// The partitioner alone says nothing of memory.
void FillSide(const absl::StatusOr<cost::StepCost>& side, const DiffCosts& costs,
              answers::SuggestedCost* to) {
  FillOutcome(side, costs.is_timed, to);
  if (costs.target.empty()) to->clear_memory();
}

}  // namespace

std::optional<DiffCosts> CostsOfSides(const PricedSide& a, const PricedSide& b) {
  if (!a.run.module.has_value() || !b.run.module.has_value()) return std::nullopt;
  const auto before = LinesOf(a), after = LinesOf(b);
  DiffCosts costs = {SumOf(before), SumOf(after)};
  if (a.target.has_value()) {
    const target::Target& target = a.target->target;
    costs = {CostOf(a), CostOf(b), target.ToString(), cost::KernelClock::Of(target).ok()};
  }
  if (before.ok() && after.ok()) costs.differences = Differences(*before, *after);
  return costs;
}

std::string CostsText(const DiffCosts& costs, size_t most) {
  for (const auto* side : {&costs.before, &costs.after}) {
    if (side->ok()) continue;
    return absl::StrCat("the costs are not known: ", side->status().message(), "\n");
  }
  const cost::StepCost &a = *costs.before, &b = *costs.after;
  const bool has_target = !costs.target.empty();
  std::string out =
      RowText(has_target ? absl::StrCat("on ", costs.target) : "in a step", "before", "after");
  if (costs.is_timed) {
    out += TimeText(a.seconds(), b.seconds());
  }
  if (has_target) out += MemoryText(a, b);
  return absl::StrCat(
      out, RowText("a device sends", FormatBytes(a.sent), FormatBytes(b.sent)),
      RowText("in collectives", absl::StrCat(a.collectives), absl::StrCat(b.collectives)),
      DifferencesText(costs.differences, most), has_target ? "" : kOfPartitioner);
}

void FillCosts(const DiffCosts& costs, answers::ComparisonAnswer* to) {
  FillSide(costs.before, costs, to->mutable_costs_before());
  FillSide(costs.after, costs, to->mutable_costs_after());
  for (const SentBy& one : costs.differences) {
    answers::SentChange* change = to->add_sent_changes();
    change->set_op(one.op);
    change->set_op_name(one.op_name);
    change->set_source(PlacesText(one));
    change->set_before(one.before);
    change->set_after(one.after);
  }
}

}  // namespace tessera::pipeline
