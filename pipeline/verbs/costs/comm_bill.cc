#include "tessera/pipeline/verbs/costs/comm_bill.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "tessera/cost/network/payload.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"

namespace tessera::pipeline {
namespace {

using Sums = std::vector<BillSum>;

void Add(const BillLine& line, double part, BillSum* sum) {
  const bool is_whole = part == 1;  // whose bytes no double has to hold
  const double sent = part * static_cast<double>(line.line.total());
  ++sum->count;
  sum->sent += is_whole ? line.line.total() : static_cast<int64_t>(std::llround(sent));
  sum->seconds += part * line.seconds().value_or(0);
  sum->without_time += line.seconds().has_value() ? 0 : 1;
}

// The sums by the names of the shares that each line has: `share` calls with each of them.
template <typename Share>
Sums SumsBy(const std::vector<BillLine>& lines, const Share& share) {
  Sums sums;
  absl::flat_hash_map<std::string, size_t> places;
  for (const BillLine& line : lines) {
    share(line.line, [&](absl::string_view name, double part) {
      const auto [it, is_new] = places.try_emplace(name, sums.size());
      if (is_new) sums.push_back({std::string(name), 0, 0, 0, 0});
      Add(line, part, &sums[it->second]);
    });
  }
  std::stable_sort(sums.begin(), sums.end(),
                   [](const BillSum& a, const BillSum& b) { return a.sent > b.sent; });
  return sums;
}

}  // namespace

Bill MakeBill(std::vector<CollectiveLine> lines, const cost::Machine* machine, double launch_s) {
  Bill bill;
  bill.lines.reserve(lines.size());
  for (CollectiveLine& line : lines) {
    BillLine& entry = bill.lines.emplace_back();
    const auto payload =
        machine != nullptr ? cost::PayloadOn(line.made, *machine) : cost::PayloadOf(line.made);
    if (payload.has_value()) entry.bytes_formula = cost::SentFormula(*payload);
    if (machine != nullptr) entry.once = cost::CostOf(line.made, *machine);
    if (entry.once.seconds.has_value()) *entry.once.seconds += launch_s;
    bill.counted_once += line.unknown_runs ? 1 : 0;
    entry.line = std::move(line);
    Add(entry, 1, &bill.total);
  }
  const auto by_op = [](const CollectiveLine& line, const auto& add) { add(line.op, 1); };
  const auto by_axis = [](const CollectiveLine& line, const auto& add) { add(AxesText(line), 1); };
  const auto by_line = [](const CollectiveLine& line, const auto& add) {
    for (const auto& [name, part] : SharesByLine(line)) add(name, part);
  };
  bill.by_op = SumsBy(bill.lines, by_op);
  bill.by_axis = SumsBy(bill.lines, by_axis);
  bill.by_line = SumsBy(bill.lines, by_line);
  return bill;
}

}  // namespace tessera::pipeline
