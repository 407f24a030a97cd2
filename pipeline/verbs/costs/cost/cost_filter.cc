#include "tessera/pipeline/verbs/costs/cost/cost_filter.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tessera/pipeline/verbs/costs/collective_words.h"

namespace tessera::pipeline {
namespace {

bool Passes(const ListFilter& filter, const CostCollective& one) {
  const double sent = static_cast<double>(one.line.sent) * one.runs;
  return (filter.Matches({one.name, one.line.op_name, one.line.location}) ||
          MatchesPart(filter, one.line)) &&
         sent >= static_cast<double>(filter.min_bytes()) &&
         (filter.axis().empty() || RunsAlong(one.line, filter.axis()));
}

bool Passes(const ListFilter& filter, const CostKernel& kernel) {
  return filter.Matches({kernel.name, kernel.op_name, kernel.location}) && filter.axis().empty() &&
         kernel.part.bytes * kernel.part.runs >= static_cast<double>(filter.min_bytes());
}

template <typename Entry>
void KeepIn(const ListFilter& filter, bool cuts, std::vector<Entry>* entries) {
  const auto fails = [&](const Entry& entry) { return !Passes(filter, entry); };
  entries->erase(std::remove_if(entries->begin(), entries->end(), fails), entries->end());
  const auto top = static_cast<size_t>(filter.top());
  if (cuts && top > 0 && top < entries->size())
    entries->erase(entries->begin() + filter.top(), entries->end());
}

}  // namespace

void Keep(const ListFilter& filter, bool cuts, CostBill* bill) {
  bill->is_filtered = filter.chooses();
  KeepIn(filter, cuts, &bill->collectives);
  KeepIn(filter, cuts, &bill->kernels);
}

}  // namespace tessera::pipeline
