#include "tessera/pipeline/verbs/search/suggest_search.h"

#include <algorithm>
#include <utility>

namespace tessera::pipeline {
namespace {

// For each axis of the mesh the dimension that it lies on; kNowhere for none.
using Layout = std::vector<int>;
constexpr int kNowhere = -1;
constexpr size_t kMaxAxes = 4;  // that the search moves: the largest

// The choices of one group: those behind choice 0, which says nothing.
struct Choices {
  std::vector<Layout> layouts;  // of choice c: layouts[c - 1]
};

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
    for (const ParameterGroup& group : groups) {
      choices_.emplace_back();
      Layout layout(axes_.size(), kNowhere);
      AddLayouts(group, 0, &layout, &choices_.back());
      space_.next.push_back(StepsOf(choices_.back()));
    }
  }

  const cost::Space& space() const { return space_; }

  // Nothing said; batches cut over all axes; and all else as well, along the longest dimension.
  std::vector<cost::Point> Starts() const {
    cost::Point own(groups_.size(), 0), batches = own, all = own;
    for (size_t g = 0; g < groups_.size(); ++g) {
      all[g] = WidestChoice(g);
      batches[g] = groups_[g].is_batch ? all[g] : ChoiceOf(g, Layout(axes_.size(), kNowhere));
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

  PatternAnnotation AnnotationOf(size_t g, int choice) const {
    const Layout& layout = choices_[g].layouts[static_cast<size_t>(choice) - 1];
    PatternAnnotation annotation;
    annotation.pattern = groups_[g].pattern;
    auto& entries = annotation.spec.entries;
    entries.resize(groups_[g].dims.size());
    for (size_t a = 0; a < layout.size(); ++a) {
      if (layout[a] == kNowhere) continue;
      entries[static_cast<size_t>(layout[a])].axes.push_back(mesh_.axis(axes_[a]).name);
    }
    while (!entries.empty() && entries.back().axes.empty()) entries.pop_back();
    return annotation;
  }

 private:
  bool Divides(const ParameterGroup& group, const Layout& layout, int dim) const {
    int64_t parts = 1;
    for (size_t a = 0; a < layout.size(); ++a) {
      if (layout[a] == dim) parts *= mesh_.axis_size(axes_[a]);
    }
    return group.dims[static_cast<size_t>(dim)] % parts == 0;
  }

  // Every place of the axes from number `a` on.
  void AddLayouts(const ParameterGroup& group, size_t a, Layout* layout, Choices* choices) const {
    if (a == axes_.size()) {
      choices->layouts.push_back(*layout);
      return;
    }
    AddLayouts(group, a + 1, layout, choices);
    for (int dim = 0; dim < static_cast<int>(group.dims.size()); ++dim) {
      (*layout)[a] = dim;
      if (Divides(group, *layout, dim)) AddLayouts(group, a + 1, layout, choices);
      (*layout)[a] = kNowhere;
    }
  }

  static int Distance(const Layout& a, const Layout& b) {
    int distance = 0;
    for (size_t k = 0; k < a.size(); ++k) distance += a[k] != b[k] ? 1 : 0;
    return distance;
  }

  static std::vector<std::vector<int>> StepsOf(const Choices& choices) {
    const Layout nowhere = choices.layouts.front();
    std::vector<std::vector<int>> steps(1 + choices.layouts.size());
    for (size_t to = 0; to < choices.layouts.size(); ++to) {
      const Layout& layout = choices.layouts[to];
      if (Distance(nowhere, layout) <= 1) steps[0].push_back(static_cast<int>(to) + 1);
      for (size_t from = 0; from < choices.layouts.size(); ++from) {
        if (Distance(choices.layouts[from], layout) != 1) continue;
        steps[from + 1].push_back(static_cast<int>(to) + 1);
      }
    }
    return steps;
  }

  int ChoiceOf(size_t g, const Layout& layout) const {
    const auto& layouts = choices_[g].layouts;
    return static_cast<int>(std::find(layouts.begin(), layouts.end(), layout) - layouts.begin()) +
           1;
  }

  // All axes that divide, on the first dimension of a batch, else on the longest.
  int WidestChoice(size_t g) const {
    const ParameterGroup& group = groups_[g];
    const auto longest = std::max_element(group.dims.begin(), group.dims.end());
    const int dim = group.is_batch ? 0 : static_cast<int>(longest - group.dims.begin());
    Layout layout(axes_.size(), kNowhere);
    for (size_t a = 0; a < axes_.size(); ++a) {
      layout[a] = dim;
      if (!Divides(group, layout, dim)) layout[a] = kNowhere;
    }
    return ChoiceOf(g, layout);
  }

  const sharding::Mesh& mesh_;
  const std::vector<int> axes_;
  const std::vector<ParameterGroup>& groups_;
  std::vector<Choices> choices_;
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
