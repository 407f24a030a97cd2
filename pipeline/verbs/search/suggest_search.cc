#include "tessera/pipeline/verbs/search/suggest_search.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/pipeline/verbs/search/constraint_groups.h"
#include "tessera/pipeline/verbs/search/group_choices.h"

namespace tessera::pipeline {
namespace {

constexpr size_t kMaxAxes = 4;  // that the search moves: the largest

// The numbers of the axes that cut anything.
std::vector<int> AxesOf(const sharding::Mesh& mesh) {
  std::vector<int> axes;
  for (int a = 0; a < mesh.num_axes(); ++a) {
    if (mesh.axis_size(a) > 1) axes.push_back(a);
  }
  std::stable_sort(axes.begin(), axes.end(),
                   [&](int a, int b) { return mesh.axis_size(a) > mesh.axis_size(b); });
  if (axes.size() > kMaxAxes) axes.resize(kMaxAxes);
  std::sort(axes.begin(), axes.end());
  return axes;
}

class Searchable {
 public:
  Searchable(const sharding::Mesh& mesh, const std::vector<SearchGroup>& groups)
      : mesh_(mesh), axes_(AxesOf(mesh)), groups_(groups) {
    std::vector<int64_t> sizes;
    for (const int axis : axes_) sizes.push_back(mesh.axis_size(axis));
    for (const SearchGroup& group : groups) {
      arguments_ += group.is_constraint ? 0 : 1;
      choices_.push_back(group.is_constraint ? GroupChoices(group.dims, sizes, OwnLayout(group))
                                             : GroupChoices(group.dims, sizes));
    }
  }
  Searchable(const Searchable&) = delete;
  Searchable& operator=(const Searchable&) = delete;

  cost::Space Arguments() const { return {arguments_, NextOf(), {}}; }

  cost::Space All() const { return {groups_.size(), NextOf(), Families()}; }

  // Nothing said; batches cut over all axes; and all else as well, along the longest dimension.
  std::vector<cost::Point> Starts() const {
    cost::Point own(groups_.size(), 0), batches = own, all = own;
    for (size_t g = 0; g < arguments_; ++g) {
      all[g] = WidestChoice(g);
      batches[g] = groups_[g].is_batch ? all[g] : choices_[g].ChoiceOf(choices_[g].Nowhere());
    }
    return Different({own, batches, all});
  }

  // The best one of arguments alone first.
  std::vector<cost::Point> StartsOfAll(const cost::Point& best) const {
    std::vector<cost::Point> starts = {best, Opened(best)};
    for (const cost::Point& start : Starts()) starts.push_back(Opened(start));
    return Different(starts);
  }

  bool has_constraints() const { return arguments_ < groups_.size(); }

  std::vector<PatternAnnotation> AnnotationsOf(const cost::Point& point) const {
    std::vector<PatternAnnotation> annotations;
    for (size_t g = 0; g < point.size(); ++g) {
      if (point[g] != 0) annotations.push_back(AnnotationOf(g, point[g]));
    }
    return annotations;
  }

  PatternAnnotation AnnotationOf(size_t g, cost::Choice choice) const {
    PatternAnnotation annotation;
    annotation.pattern = groups_[g].pattern;
    auto& entries = annotation.spec.entries;
    entries.resize(groups_[g].dims.size());
    if (choice == GroupChoices::kOpen) {
      for (auto& entry : entries) entry.is_open = true;
      return annotation;
    }
    const GroupChoices::Layout layout = choices_[g].LayoutOf(choice);
    for (size_t a = 0; a < layout.size(); ++a) {
      if (layout[a] == GroupChoices::kNowhere) continue;
      entries[static_cast<size_t>(layout[a])].axes.push_back(mesh_.axis(axes_[a]).name);
    }
    while (!entries.empty() && entries.back().axes.empty()) entries.pop_back();
    return annotation;
  }

 private:
  static std::vector<cost::Point> Different(const std::vector<cost::Point>& points) {
    std::vector<cost::Point> different;
    for (const cost::Point& point : points) {
      if (!absl::c_linear_search(different, point)) different.push_back(point);
    }
    return different;
  }

  std::function<std::vector<cost::Choice>(size_t, cost::Choice)> NextOf() const {
    return [this](size_t g, cost::Choice choice) { return choices_[g].Next(choice); };
  }

  // No constraint says anything.
  cost::Point Opened(cost::Point point) const {
    std::fill(point.begin() + static_cast<std::ptrdiff_t>(arguments_), point.end(),
              GroupChoices::kOpen);
    return point;
  }

  // Where each axis lies in what the constraints of the group say.
  GroupChoices::Layout OwnLayout(const SearchGroup& group) const {
    GroupChoices::Layout layout(axes_.size(), GroupChoices::kNowhere);
    for (size_t a = 0; a < axes_.size(); ++a) {
      for (size_t dim = 0; dim < group.own.entries.size(); ++dim) {
        const bool is_here =
            absl::c_linear_search(group.own.entries[dim].axes, mesh_.axis(axes_[a]).name);
        if (is_here) layout[a] = static_cast<int>(dim);
      }
    }
    return layout;
  }

  // Several constraints of equal size that say the same.
  std::vector<std::vector<size_t>> Families() const {
    std::vector<std::vector<size_t>> families;
    for (size_t g = arguments_; g < groups_.size(); ++g) {
      const auto family = absl::c_find_if(families, [&](const std::vector<size_t>& others) {
        const SearchGroup& other = groups_[others.front()];
        return other.dims == groups_[g].dims && other.own.ToString() == groups_[g].own.ToString();
      });
      if (family == families.end()) {
        families.push_back({g});
      } else {
        family->push_back(g);
      }
    }
    families.erase(std::remove_if(families.begin(), families.end(),
                                  [](const auto& family) { return family.size() < 2; }),
                   families.end());
    return families;
  }

  // All axes that divide, on the first dimension of a batch, else on the longest.
  cost::Choice WidestChoice(size_t g) const {
    const SearchGroup& group = groups_[g];
    const auto longest = std::max_element(group.dims.begin(), group.dims.end());
    const int dim = group.is_batch ? 0 : static_cast<int>(longest - group.dims.begin());
    GroupChoices::Layout layout = choices_[g].Nowhere();
    for (size_t a = 0; a < axes_.size(); ++a) {
      layout[a] = dim;
      if (!choices_[g].Divides(layout, dim)) layout[a] = GroupChoices::kNowhere;
    }
    return choices_[g].ChoiceOf(layout);
  }

  const sharding::Mesh& mesh_;
  const std::vector<int> axes_;
  const std::vector<SearchGroup>& groups_;
  std::vector<GroupChoices> choices_;
  size_t arguments_ = 0;  // groups, in front of the constraints
};

std::vector<size_t> ChosenGroups(const cost::Point& point) {
  std::vector<size_t> chosen;
  for (size_t g = 0; g < point.size(); ++g) {
    if (point[g] != 0) chosen.push_back(g);
  }
  return chosen;
}

// The point with one of these groups at a time left as it was.
std::vector<cost::Point> WithoutEach(const cost::Point& point, const std::vector<size_t>& chosen) {
  std::vector<cost::Point> without(chosen.size(), point);
  for (size_t k = 0; k < chosen.size(); ++k) without[k][chosen[k]] = 0;
  return without;
}

// Of a later search, whose best is the best of both.
void Append(cost::SearchResult later, cost::SearchResult* result) {
  result->best = result->points.size() + later.best;
  absl::c_move(later.points, std::back_inserter(result->points));
  absl::c_move(later.outcomes, std::back_inserter(result->outcomes));
}

}  // namespace

Suggestion Suggest(const VariantCosts& costs, const Variant& base, const sharding::Mesh& mesh,
                   const std::vector<SearchGroup>& groups, const cost::SearchOptions& options,
                   const std::function<void()>& done) {
  const Searchable searchable(mesh, groups);
  const auto variant_of = [&](const cost::Point& point) {
    Variant variant = base;
    for (PatternAnnotation& one : searchable.AnnotationsOf(point)) {
      variant.annotations.push_back(std::move(one));
      variant.ties_donated = true;
    }
    return variant;
  };
  const auto evaluate = [&](const std::vector<cost::Point>& points) {
    return costs.OfAll(
        points.size(), [&](size_t k) { return variant_of(points[k]); }, done);
  };
  cost::SearchResult result =
      cost::Search(searchable.Arguments(), searchable.Starts(), options, evaluate);
  if (searchable.has_constraints()) {
    Append(cost::Search(searchable.All(), searchable.StartsOfAll(result.points[result.best]),
                        options, evaluate),
           &result);
  }

  Suggestion suggestion;
  suggestion.mesh = mesh;
  suggestion.tries = result.points.size();
  suggestion.donated = costs.num_donated();
  suggestion.own = result.outcomes.front();
  suggestion.found = result.outcomes[result.best];
  const cost::Point& best = result.points[result.best];
  const std::vector<size_t> chosen = ChosenGroups(best);
  const cost::Outcomes without = evaluate(WithoutEach(best, chosen));
  for (size_t k = 0; k < chosen.size(); ++k) {
    const size_t g = chosen[k];
    suggestion.annotations.push_back({searchable.AnnotationOf(g, best[g]), groups[g], without[k],
                                      PlaceText(groups[g], groups)});
  }
  for (const size_t k : cost::ParetoFront(result.outcomes)) {
    suggestion.front.push_back({searchable.AnnotationsOf(result.points[k]), *result.outcomes[k]});
  }
  return suggestion;
}

}  // namespace tessera::pipeline
