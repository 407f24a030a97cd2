#include "tessera/pipeline/verbs/costs/cost/cost_filter.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
void KeepIn(const ListFilter& filter, std::vector<Entry>* entries) {
  const auto fails = [&](const Entry& entry) { return !Passes(filter, entry); };
  entries->erase(std::remove_if(entries->begin(), entries->end(), fails), entries->end());
}

template <typename Entry>
void Cut(const ListFilter& filter, std::vector<Entry>* entries) {
  const auto top = static_cast<size_t>(filter.top());
  if (top > 0 && top < entries->size())
    entries->erase(entries->begin() + filter.top(), entries->end());
}

CostChosen SumOf(const CostBill& bill) {
  CostChosen sum;
  sum.num_kernels = static_cast<int64_t>(bill.kernels.size());
  sum.num_collectives = static_cast<int64_t>(bill.collectives.size());
  for (const CostKernel& kernel : bill.kernels) sum.kernels_s += kernel.part.seconds();
  for (const CostCollective& one : bill.collectives) {
    sum.links_s += one.links_s();
    sum.exposed_s += one.exposed_s();
    sum.sent += one.line.total();
  }
  return sum;
}

}  // namespace

void Keep(const ListFilter& filter, bool cuts, CostBill* bill) {
  KeepIn(filter, &bill->collectives);
  KeepIn(filter, &bill->kernels);
  if (filter.chooses()) bill->chosen = SumOf(*bill);
  if (!cuts) return;
  Cut(filter, &bill->collectives);
  Cut(filter, &bill->kernels);
}

}  // namespace tessera::pipeline
