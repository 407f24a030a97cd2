// The search for the best of very many points, one coordinate after the other.
//
//   Space space = {1, [](size_t, Choice at) { return .. }};   // one group; from 0 to 1 or 2
//   SearchResult r = Search(space, {{0}}, options, [&](const std::vector<Point>& points) {
//     return ..;                               // the cost of each
//   });
//   r.points[r.best], r.outcomes[r.best]
//
// A point has one choice for each group; choice 0 leaves the group as it is. From every start, each group in turn
// goes to the best choice one step away. Then each set of groups that may move as one does. This ends when a round
// changes nothing or the tries are used up. The best start may use half of the tries, the next one half of the rest.
// Then choices go back to 0 that together gain less than a thousandth of the time, and each less than a hundredth of
// the memory. They stop before the first start would be better. The best point exceeds the memory limit least, then
// takes least time, then sends least. No point is tried twice, and nothing is random: the same question has the same
// answer. Cost: the tries, and the choices one step from each point that the search goes to. Tested by
// descent_test.cc.

#ifndef TESSERA_COST_SEARCH_DESCENT_H_
#define TESSERA_COST_SEARCH_DESCENT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "tessera/cost/sweep/ranking.h"

namespace tessera::cost {

using Choice = int64_t;
using Point = std::vector<Choice>;

// A group may have more choices than a table has room for, so a function gives them.
struct Space {
  size_t groups = 0;
  // The choices of the group that are one step from this one, in the order in which they are tried.
  std::function<std::vector<Choice>(size_t group, Choice choice)> next;
  // Groups of equal choices that may also move as one: all go to a choice that is one step from that of the first.
  std::vector<std::vector<size_t>> together = {};
};

struct SearchOptions {
  std::optional<int64_t> limit;  // bytes of memory
  size_t tries = 400;            // at most so many points, and one for each group at the end
};

struct SearchResult {
  std::vector<Point> points;  // all that were tried, the starts first
  Outcomes outcomes;          // of each
  size_t best = 0;
};

// The costs of points, in their order.
using Evaluate = absl::FunctionRef<Outcomes(const std::vector<Point>&)>;

// Whether cost `a` is better than `b` under a limit.
bool IsBetter(const StepCost& a, const StepCost& b, const std::optional<int64_t>& limit);

// `starts` has at least one point. If none of all points has a cost, `best` is the first start.
SearchResult Search(const Space& space, const std::vector<Point>& starts,
                    const SearchOptions& options, Evaluate evaluate);

}  // namespace tessera::cost

#endif  // TESSERA_COST_SEARCH_DESCENT_H_
