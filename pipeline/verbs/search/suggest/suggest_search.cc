#include "tessera/pipeline/verbs/search/suggest/suggest_search.h"

#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/search/suggest/constraint_groups.h"
#include "tessera/pipeline/verbs/search/suggest/new_constraints.h"
#include "tessera/pipeline/verbs/search/variants/searchable.h"
#include "tessera/pipeline/verbs/search/variants/variant_text.h"

namespace tessera::pipeline {
namespace {

constexpr size_t kMaxNew = 8;  // groups of tensors that may get a constraint
// Of the time before, for a new constraint. Compiled, one that gained less (0.3 %) lost more (4.7 %).
constexpr double kWorthALine = 0.99;

std::vector<size_t> ChosenGroups(const cost::Point& point) {
  std::vector<size_t> chosen;
  for (size_t g = 0; g < point.size(); ++g) {
    if (point[g] != 0) chosen.push_back(g);
  }
  return chosen;
}

bool LookAlike(const MaybeCost& a, const MaybeCost& b, const std::optional<int64_t>& limit) {
  if (!a.ok() || !b.ok()) return a.ok() == b.ok();
  const int64_t bytes = limit.value_or(0);
  return FiguresText(a) == FiguresText(b) && FitText(*a, bytes) == FitText(*b, bytes);
}

// The point with one of these groups at a time left as it was.
std::vector<cost::Point> WithoutEach(const cost::Point& point, const std::vector<size_t>& chosen) {
  std::vector<cost::Point> without(chosen.size(), point);
  for (size_t k = 0; k < chosen.size(); ++k) without[k][chosen[k]] = 0;
  return without;
}

// The searches one after the other, on groups that become more.
class Searches {
 public:
  Searches(const VariantCosts& costs, const Variant& base, const std::function<void()>& done)
      : costs_(costs), base_(base), done_(done) {}

  // Finds the best of these and all earlier tries.
  void Run(const Searchable& groups, const cost::Space& space,
           const std::vector<cost::Point>& starts, const cost::SearchOptions& options) {
    const auto evaluate = [&](const std::vector<cost::Point>& points) {
      return Evaluate(groups, points);
    };
    Append(cost::Search(space, starts, options, evaluate));
  }

  cost::Outcomes Evaluate(const Searchable& groups, const std::vector<cost::Point>& points) const {
    return costs_.OfAll(
        points.size(), [&](size_t k) { return VariantOf(groups, points[k]); }, done_);
  }

  Variant VariantOf(const Searchable& groups, const cost::Point& point) const {
    Variant variant = base_;
    variant.ties_donated = true;
    for (PatternAnnotation& one : groups.AnnotationsOf(point)) {
      variant.annotations.push_back(std::move(one));
    }
    return variant;
  }

  // The new groups have choice 0 in the points so far.
  void Widen(size_t groups) {
    for (cost::Point& point : result_.points) point.resize(groups, 0);
  }

  bool IsBestBetterThan(size_t point, const std::optional<int64_t>& limit) const {
    const MaybeCost &best = result_.outcomes[result_.best], &other = result_.outcomes[point];
    if (!best.ok() || !other.ok()) return best.ok();
    return cost::IsBetter(*best, *other, limit);
  }

  void GoBackTo(size_t point) { result_.best = point; }

  // Goes to the module's annotations if the best looks like them, else drops what gains nothing that shows.
  void DropWhatGainsNothing(const Searchable& groups, const std::optional<int64_t>& limit) {
    const MaybeCost found = result_.outcomes[result_.best];
    if (LookAlike(found, result_.outcomes.front(), limit)) return GoBackTo(0);
    while (DropsFrom(groups, found, limit)) {
    }
  }

  const cost::SearchResult& result() const { return result_; }
  const cost::Point& best() const { return result_.points[result_.best]; }

 private:
  // One after the other, each of those that could go alone. False if there are none.
  bool DropsFrom(const Searchable& groups, const MaybeCost& found,
                 const std::optional<int64_t>& limit) {
    const std::vector<size_t> chosen = ChosenGroups(best());
    const cost::Outcomes without = Evaluate(groups, WithoutEach(best(), chosen));
    bool drops = false;
    for (size_t k = 0; k < chosen.size(); ++k) {
      if (!LookAlike(without[k], found, limit)) continue;
      cost::Point less = best();
      less[chosen[k]] = 0;
      cost::Outcomes outcome = Evaluate(groups, {less});
      if (!LookAlike(outcome[0], found, limit)) continue;
      Append({{std::move(less)}, std::move(outcome), 0});
      drops = true;
    }
    return drops;
  }

  // Each point once.
  void Append(cost::SearchResult later) {
    absl::flat_hash_map<cost::Point, size_t> places;
    for (size_t k = 0; k < result_.points.size(); ++k) places.emplace(result_.points[k], k);
    const cost::Point best = later.points[later.best];
    for (size_t k = 0; k < later.points.size(); ++k) {
      if (!places.emplace(later.points[k], result_.points.size()).second) continue;
      result_.points.push_back(std::move(later.points[k]));
      result_.outcomes.push_back(std::move(later.outcomes[k]));
    }
    result_.best = places.at(best);
  }

  const VariantCosts& costs_;
  const Variant& base_;
  const std::function<void()>& done_;
  cost::SearchResult result_;
};

bool HasNew(const cost::Point& point, const std::vector<SearchGroup>& groups) {
  for (size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].is_new() && point[g] != 0) return true;
  }
  return false;
}

bool IsWorthALine(const MaybeCost& with, const MaybeCost& without,
                  const std::optional<int64_t>& limit) {
  if (!with.ok() || !without.ok()) return with.ok();
  const bool did_not_fit = limit.has_value() && without->memory > *limit;
  return did_not_fit || with->seconds() < kWorthALine * without->seconds();
}

// One group after the other. Then from the module's own annotations those as one that may move so, and again one group
// after the other: caches of a decoder, each in another sharding, may be where no step of one of them leads on.
void SearchArguments(const Searchable& said, const cost::SearchOptions& options,
                     Searches* searches) {
  searches->Run(said, said.Arguments(), said.Starts(), options);
  const cost::Space together = said.ArgumentsTogether();
  if (together.together.empty()) return;
  const size_t before = searches->result().best;
  cost::SearchOptions fewer = options;
  fewer.tries = options.tries / 4;
  const cost::Point own = searches->result().points.front();
  searches->Run(said, together, {own}, fewer);
  if (searches->best() != own) searches->Run(said, said.Arguments(), {searches->best()}, fewer);
  if (!searches->IsBestBetterThan(before, options.limit)) searches->GoBackTo(before);
}

// Arguments alone; then constraints, too.
void SearchWhatIsSaid(const Searchable& said, const cost::SearchOptions& options,
                      Searches* searches) {
  SearchArguments(said, options, searches);
  if (!said.has_constraints()) return;
  searches->Run(said, said.All(), said.StartsOfAll(searches->best()), options);
}

// With donated results as arguments, or as propagation leaves them.
MaybeCost CostOf(const VariantCosts& costs, Variant variant, bool ties_donated) {
  variant.ties_donated = ties_donated;
  return costs
      .OfAll(
          1, [&](size_t) { return variant; }, [] {})
      .front();
}

// No other variant beats these; the module as it is may be one of them.
std::vector<SuggestedVariant> FrontOf(const Searches& searches, const Searchable& all,
                                      const Suggestion& suggestion) {
  const std::vector<cost::Point>& points = searches.result().points;
  cost::Outcomes outcomes = searches.result().outcomes;
  if (suggestion.tied.has_value()) outcomes.push_back(suggestion.own);
  std::vector<SuggestedVariant> front;
  for (const size_t k : cost::ParetoFront(outcomes)) {
    std::vector<PatternAnnotation> annotations;
    if (k < points.size()) annotations = all.AnnotationsOf(points[k]);
    const bool ties = !annotations.empty() || (suggestion.tied.has_value() && k < points.size());
    front.push_back({std::move(annotations), *outcomes[k], ties});
  }
  return front;
}

// What was found with the ties of its results, each annotation with what the others cost.
void FillFound(const VariantCosts& costs, const Searches& searches, const Searchable& all,
               const std::vector<SearchGroup>& groups, Suggestion* suggestion) {
  const cost::Point& best = searches.best();
  const Variant variant = searches.VariantOf(all, best);
  suggestion->results = TiedResults(costs, variant);
  suggestion->untied = CostOf(costs, variant, /*ties_donated=*/false);
  const std::vector<size_t> chosen = ChosenGroups(best);
  const cost::Outcomes without = searches.Evaluate(all, WithoutEach(best, chosen));
  for (size_t k = 0; k < chosen.size(); ++k) {
    const size_t g = chosen[k];
    suggestion->annotations.push_back(
        {all.AnnotationOf(g, best[g]), groups[g], without[k], PlaceText(groups[g], groups)});
  }
}

bool IsNoBetter(const MaybeCost& found, const MaybeCost& own, const std::optional<int64_t>& limit) {
  if (LookAlike(found, own, limit) || !found.ok()) return true;
  return own.ok() && cost::IsBetter(*own, *found, limit);
}

Suggestion Found(const VariantCosts& costs, const Searches& searches, const Searchable& all,
                 const std::vector<SearchGroup>& groups, const Variant& base,
                 const sharding::Mesh& mesh, const std::optional<int64_t>& limit) {
  const cost::SearchResult& result = searches.result();
  Suggestion suggestion;
  suggestion.mesh = mesh;
  suggestion.tries = result.points.size();
  suggestion.own = CostOf(costs, base, /*ties_donated=*/false);
  suggestion.found = result.outcomes[result.best];
  const MaybeCost& tied = result.outcomes.front();
  if (!LookAlike(tied, suggestion.own, limit)) suggestion.tied = tied;
  if (IsNoBetter(suggestion.found, suggestion.own, limit)) {
    suggestion.found = suggestion.own;
  } else {
    FillFound(costs, searches, all, groups, &suggestion);
  }
  suggestion.front = FrontOf(searches, all, suggestion);
  return suggestion;
}

}  // namespace

Suggestion Suggest(const VariantCosts& costs, const hlo::Module& read, const Variant& base,
                   const sharding::Mesh& mesh, std::vector<SearchGroup> groups,
                   const cost::SearchOptions& options, const std::function<void()>& done) {
  Searches searches(costs, base, done);
  absl::StatusOr<PartitionerInput> input = absl::UnknownError("not searched");
  {
    const Searchable said(mesh, groups);
    SearchWhatIsSaid(said, options, &searches);
    input = costs.InputOf(searches.VariantOf(said, searches.best()));
  }
  if (input.ok()) {
    absl::c_move(NewConstraintGroups(*input, read, costs.InShardMaps(base), kMaxNew),
                 std::back_inserter(groups));
  }
  const Searchable all(mesh, groups);
  searches.Widen(groups.size());
  cost::SearchOptions fewer = options;
  fewer.tries = options.tries / 2;
  const size_t before = searches.result().best;
  searches.Run(all, all.All(), {searches.best()}, fewer);
  const cost::Outcomes& outcomes = searches.result().outcomes;
  if (HasNew(searches.best(), groups) &&
      !IsWorthALine(outcomes[searches.result().best], outcomes[before], options.limit)) {
    searches.GoBackTo(before);
  }
  searches.DropWhatGainsNothing(all, options.limit);
  return Found(costs, searches, all, groups, base, mesh, options.limit);
}

}  // namespace tessera::pipeline
