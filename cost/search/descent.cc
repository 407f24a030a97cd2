#include "tessera/cost/search/descent.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"

namespace tessera::cost {
namespace {

constexpr double kSameTime = 1.001, kSameMemory = 1.01;

// Bytes above the limit.
int64_t OverOf(const StepCost& cost, const std::optional<int64_t>& limit) {
  return limit.has_value() ? std::max<int64_t>(0, cost.memory - *limit) : 0;
}

class Searcher {
 public:
  Searcher(const Space& space, const SearchOptions& options, Evaluate evaluate)
      : space_(space), options_(options), evaluate_(evaluate) {}

  SearchResult Run(const std::vector<Point>& starts) {
    Try(starts, starts.size());
    std::vector<size_t> order;
    for (const Point& start : starts) order.push_back(places_.at(start));
    std::stable_sort(order.begin(), order.end(),
                     [this](size_t a, size_t b) { return IsBetterPoint(a, b); });
    size_t best = 0;
    for (size_t s = 0; s < order.size(); ++s) {
      const size_t used = result_.points.size();
      const size_t left = options_.tries > used ? options_.tries - used : 0;
      const size_t found = Descend(order[s], used + (s + 1 < order.size() ? left / 2 : left));
      if (IsBetterPoint(found, best)) best = found;
    }
    result_.best = Prune(best);
    return std::move(result_);
  }

 private:
  bool IsBetterPoint(size_t a, size_t b) const {
    if (!result_.outcomes[a].ok()) return false;
    return !result_.outcomes[b].ok() ||
           IsBetter(*result_.outcomes[a], *result_.outcomes[b], options_.limit);
  }

  // Evaluates what is new, as long as there are fewer than `allowed` points.
  void Try(const std::vector<Point>& points, size_t allowed) {
    std::vector<Point> fresh;
    for (const Point& point : points) {
      if (result_.points.size() >= allowed) break;
      if (!places_.try_emplace(point, result_.points.size()).second) continue;
      result_.points.push_back(point);
      fresh.push_back(point);
    }
    if (fresh.empty()) return;
    for (auto& outcome : evaluate_(fresh)) result_.outcomes.push_back(std::move(outcome));
  }

  // All these groups to each choice that is one step from that of the first.
  std::vector<Point> StepsFrom(size_t from, absl::Span<const size_t> groups) const {
    std::vector<Point> points;
    const Point& point = result_.points[from];
    for (const Choice choice : space_.next(groups.front(), point[groups.front()])) {
      points.push_back(point);
      for (const size_t group : groups) points.back()[group] = choice;
    }
    return points;
  }

  // The best of the point and of those that are one step of these groups away.
  size_t BestStep(const size_t from, absl::Span<const size_t> groups, size_t allowed) {
    size_t at = from;
    const std::vector<Point> points = StepsFrom(from, groups);
    Try(points, allowed);
    for (const Point& point : points) {
      const auto tried = places_.find(point);
      if (tried != places_.end() && IsBetterPoint(tried->second, at)) at = tried->second;
    }
    return at;
  }

  size_t Descend(size_t at, size_t allowed) {
    bool moved = true;
    while (moved && result_.points.size() < allowed) {
      const size_t before = at;
      for (size_t group = 0; group < space_.groups; ++group) at = BestStep(at, {group}, allowed);
      for (const std::vector<size_t>& groups : space_.together) at = BestStep(at, groups, allowed);
      moved = at != before;
    }
    return at;
  }

  // The gains that are given up are together less than a thousandth of the time. Each is less than a hundredth of the memory.
  size_t Prune(const size_t best) {
    size_t at = best;
    for (size_t group = 0; group < space_.groups; ++group) {
      Point point = result_.points[at];
      if (point[group] == 0) continue;
      point[group] = 0;
      Try({point}, result_.points.size() + 1);
      const size_t without = places_.at(point);
      if (HelpsLittle(best, without) && !IsBetterPoint(0, without)) at = without;
    }
    return at;
  }

  // The gain of point `at` over `without` is not worth an annotation.
  bool HelpsLittle(size_t at, size_t without) const {
    if (!result_.outcomes[without].ok()) return false;
    if (!IsBetterPoint(at, without)) return true;
    const StepCost& least = *result_.outcomes[at];
    const StepCost& other = *result_.outcomes[without];
    return OverOf(other, options_.limit) <= OverOf(least, options_.limit) &&
           other.seconds() < least.seconds() * kSameTime &&
           static_cast<double>(other.memory) <= static_cast<double>(least.memory) * kSameMemory;
  }

  const Space& space_;
  const SearchOptions& options_;
  const Evaluate evaluate_;
  SearchResult result_;
  absl::flat_hash_map<Point, size_t> places_;
};

}  // namespace

bool IsBetter(const StepCost& a, const StepCost& b, const std::optional<int64_t>& limit) {
  const auto key = [&limit](const StepCost& cost) {
    return std::make_tuple(OverOf(cost, limit), cost.seconds(), cost.sent, cost.memory);
  };
  return key(a) < key(b);
}

SearchResult Search(const Space& space, const std::vector<Point>& starts,
                    const SearchOptions& options, Evaluate evaluate) {
  return Searcher(space, options, evaluate).Run(starts);
}

}  // namespace tessera::cost
