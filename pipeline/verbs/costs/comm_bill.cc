#include "tessera/pipeline/verbs/costs/comm_bill.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "tessera/cost/network/payload.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"

namespace tessera::pipeline {
namespace {

using Sums = std::vector<BillSum>;

void Add(const BillLine& line, BillSum* sum) {
  ++sum->count;
  sum->sent += line.line.total();
  sum->seconds += line.seconds().value_or(0);
  sum->without_time += line.seconds().has_value() ? 0 : 1;
}

template <typename Name>
Sums SumsBy(const std::vector<BillLine>& lines, Name&& name_of) {
  Sums sums;
  absl::flat_hash_map<std::string, size_t> places;
  for (const BillLine& line : lines) {
    const std::string name = name_of(line.line);
    const auto [it, is_new] = places.try_emplace(name, sums.size());
    if (is_new) sums.push_back({name, 0, 0, 0, 0});
    Add(line, &sums[it->second]);
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
    BillLine entry;
    const auto payload =
        machine != nullptr ? cost::PayloadOn(line.made, *machine) : cost::PayloadOf(line.made);
    if (payload.has_value()) entry.bytes_formula = cost::SentFormula(*payload);
    if (machine != nullptr) entry.once = cost::CostOf(line.made, *machine);
    if (entry.once.seconds.has_value()) *entry.once.seconds += launch_s;
    bill.counted_once += line.unknown_runs ? 1 : 0;
    entry.line = std::move(line);
    Add(entry, &bill.total);
    bill.lines.push_back(std::move(entry));
  }
  bill.by_op = SumsBy(bill.lines, [](const CollectiveLine& line) { return line.op; });
  bill.by_axis = SumsBy(bill.lines, AxesText);
  bill.by_line = SumsBy(bill.lines, SourceText);
  return bill;
}

}  // namespace tessera::pipeline
