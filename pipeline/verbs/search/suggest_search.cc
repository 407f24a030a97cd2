#include "tessera/pipeline/verbs/search/suggest_search.h"

#include <algorithm>
#include <utility>

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
  Searchable(const sharding::Mesh& mesh, const std::vector<ParameterGroup>& groups)
      : mesh_(mesh), axes_(AxesOf(mesh)), groups_(groups) {
    std::vector<int64_t> sizes;
    for (const int axis : axes_) sizes.push_back(mesh.axis_size(axis));
    for (const ParameterGroup& group : groups) choices_.emplace_back(group.dims, sizes);
    space_.groups = groups.size();
    space_.next = [this](size_t g, cost::Choice choice) { return choices_[g].Next(choice); };
  }
  Searchable(const Searchable&) = delete;
  Searchable& operator=(const Searchable&) = delete;

  const cost::Space& space() const { return space_; }

  // Nothing said; batches cut over all axes; and all else as well, along the longest dimension.
  std::vector<cost::Point> Starts() const {
    cost::Point own(groups_.size(), 0), batches = own, all = own;
    for (size_t g = 0; g < groups_.size(); ++g) {
      all[g] = WidestChoice(g);
      batches[g] = groups_[g].is_batch ? all[g] : choices_[g].ChoiceOf(choices_[g].Nowhere());
    }
    std::vector<cost::Point> starts = {own};
    for (const cost::Point& start : {batches, all}) {
      if (std::find(starts.begin(), starts.end(), start) == starts.end()) starts.push_back(start);
    }
    return starts;
  }

  std::vector<PatternAnnotation> AnnotationsOf(const cost::Point& point) const {
    std::vector<PatternAnnotation> annotations;
    for (size_t g = 0; g < point.size(); ++g) {
      if (point[g] != 0) annotations.push_back(AnnotationOf(g, point[g]));
    }
    return annotations;
  }

  PatternAnnotation AnnotationOf(size_t g, cost::Choice choice) const {
    const GroupChoices::Layout layout = choices_[g].LayoutOf(choice);
    PatternAnnotation annotation;
    annotation.pattern = groups_[g].pattern;
    auto& entries = annotation.spec.entries;
    entries.resize(groups_[g].dims.size());
    for (size_t a = 0; a < layout.size(); ++a) {
      if (layout[a] == GroupChoices::kNowhere) continue;
      entries[static_cast<size_t>(layout[a])].axes.push_back(mesh_.axis(axes_[a]).name);
    }
    while (!entries.empty() && entries.back().axes.empty()) entries.pop_back();
    return annotation;
  }

 private:
  // All axes that divide, on the first dimension of a batch, else on the longest.
  cost::Choice WidestChoice(size_t g) const {
    const ParameterGroup& group = groups_[g];
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
  const std::vector<ParameterGroup>& groups_;
  std::vector<GroupChoices> choices_;
  cost::Space space_;
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

}  // namespace

Suggestion Suggest(const VariantCosts& costs, const Variant& base, const sharding::Mesh& mesh,
                   const std::vector<ParameterGroup>& groups, const cost::SearchOptions& options,
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
      cost::Search(searchable.space(), searchable.Starts(), options, evaluate);

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
    suggestion.annotations.push_back({searchable.AnnotationOf(g, best[g]), groups[g], without[k]});
  }
  for (const size_t k : cost::ParetoFront(result.outcomes)) {
    suggestion.front.push_back({searchable.AnnotationsOf(result.points[k]), *result.outcomes[k]});
  }
  return suggestion;
}

}  // namespace tessera::pipeline
