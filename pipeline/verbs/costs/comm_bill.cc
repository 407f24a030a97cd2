#include "tessera/pipeline/verbs/costs/comm_bill.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_join.h"
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

// Lines of the arrays of a combined collective share it by their bytes. `add` takes a name, and the
// part of the collective's bytes and time that belongs to it.
template <typename AddPart>
void ShareByLine(const CollectiveLine& line, const AddPart& add) {
  if (!line.target.has_value() || line.target->parts.size() < 2) return add(SourceText(line), 1);
  std::vector<std::pair<std::string, double>> shares;
  double bytes = 0;
  for (const MadeByTarget::Part& part : line.target->parts) {
    const std::string name = SourceText(absl::StrJoin(part.locations, ", "),
                                        part.op_names.empty() ? std::string() : part.op_names[0]);
    auto share = absl::c_find_if(shares, [&](const auto& other) { return other.first == name; });
    if (share == shares.end()) share = shares.insert(share, {name, 0});
    share->second += static_cast<double>(part.bytes);
    bytes += static_cast<double>(part.bytes);
  }
  for (const auto& [name, share] : shares) add(name, bytes > 0 ? share / bytes : 0);
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
  const auto by_line = [](const CollectiveLine& line, const auto& add) { ShareByLine(line, add); };
  bill.by_op = SumsBy(bill.lines, by_op);
  bill.by_axis = SumsBy(bill.lines, by_axis);
  bill.by_line = SumsBy(bill.lines, by_line);
  return bill;
}

}  // namespace tessera::pipeline
