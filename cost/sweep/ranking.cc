#include "tessera/cost/sweep/ranking.h"

#include <algorithm>
#include <tuple>

namespace tessera::cost {
namespace {

// The smaller is the better.
std::tuple<bool, double, double, double, double> KeyOf(const StepCost& cost, By by, int64_t limit) {
  const double memory = static_cast<double>(cost.memory);
  const double sent = static_cast<double>(cost.sent);
  const double first = by == By::kMemory ? memory : by == By::kBytes ? sent : cost.seconds();
  const bool fails = VerdictOf(cost, limit) == FitVerdict::kDoesNotFit;
  return {fails, first, cost.seconds(), sent, memory};
}

}  // namespace

FitVerdict VerdictOf(const StepCost& cost, int64_t limit) {
  if (limit == 0) return FitVerdict::kFits;
  const PeakRange exactly = {cost.memory, cost.memory, cost.memory};
  const PeakRange predicted = {cost.memory, cost.memory_low, cost.memory_high};
  return (cost.memory_high > 0 ? predicted : exactly).VerdictOn(limit);
}

std::vector<size_t> Ranked(const Outcomes& outcomes, By by, int64_t limit) {
  std::vector<size_t> order;
  for (size_t k = 0; k < outcomes.size(); ++k) {
    if (outcomes[k].ok()) order.push_back(k);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return KeyOf(*outcomes[a], by, limit) < KeyOf(*outcomes[b], by, limit);
  });
  return order;
}

std::vector<size_t> ParetoFront(const Outcomes& outcomes) {
  std::vector<size_t> order;
  for (size_t k = 0; k < outcomes.size(); ++k) {
    if (outcomes[k].ok()) order.push_back(k);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const StepCost& x = *outcomes[a];
    const StepCost& y = *outcomes[b];
    return std::make_tuple(x.seconds(), x.memory) < std::make_tuple(y.seconds(), y.memory);
  });
  std::vector<size_t> front;
  for (const size_t k : order) {
    if (front.empty() || outcomes[k]->memory < outcomes[front.back()]->memory) front.push_back(k);
  }
  return front;
}

}  // namespace tessera::cost
