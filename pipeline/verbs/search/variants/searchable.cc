#include "tessera/pipeline/verbs/search/variants/searchable.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

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

// What groups of one shape have in common if they may move as one.
std::vector<std::string> LikenessesOf(const SearchGroup& group) {
  if (!group.is_constraint) return group.relatives;
  return {absl::StrCat(group.is_new() ? "new " : "", group.own.ToString())};
}

std::vector<cost::Point> Different(const std::vector<cost::Point>& points) {
  std::vector<cost::Point> different;
  for (const cost::Point& point : points) {
    if (!absl::c_linear_search(different, point)) different.push_back(point);
  }
  return different;
}

}  // namespace

Searchable::Searchable(const sharding::Mesh& mesh, const std::vector<SearchGroup>& groups)
    : mesh_(mesh), axes_(AxesOf(mesh)), groups_(groups) {
  std::vector<int64_t> sizes;
  for (const int axis : axes_) sizes.push_back(mesh.axis_size(axis));
  for (const SearchGroup& group : groups) {
    const bool is_said = group.is_constraint && !group.is_new();
    arguments_ += group.is_constraint ? 0 : 1;
    choices_.push_back(is_said ? GroupChoices(group.dims, sizes, OwnLayout(group))
                               : GroupChoices(group.dims, sizes));
  }
}

std::vector<cost::Point> Searchable::Starts() const {
  cost::Point own(groups_.size(), 0), batches = own, all = own;
  for (size_t g = 0; g < arguments_; ++g) {
    all[g] = WidestChoice(g);
    batches[g] = groups_[g].is_batch ? all[g] : choices_[g].ChoiceOf(choices_[g].Nowhere());
  }
  return Different({own, batches, all});
}

std::vector<cost::Point> Searchable::StartsOfAll(const cost::Point& best) const {
  std::vector<cost::Point> starts = {best, Opened(best)};
  for (const cost::Point& start : Starts()) starts.push_back(Opened(start));
  return Different(starts);
}

std::vector<PatternAnnotation> Searchable::AnnotationsOf(const cost::Point& point) const {
  std::vector<PatternAnnotation> annotations;
  for (size_t g = 0; g < point.size(); ++g) {
    if (point[g] != 0) annotations.push_back(AnnotationOf(g, point[g]));
  }
  return annotations;
}

PatternAnnotation Searchable::AnnotationOf(size_t group, cost::Choice choice) const {
  PatternAnnotation annotation;
  annotation.pattern = groups_[group].pattern;
  auto& entries = annotation.spec.entries;
  entries.resize(groups_[group].dims.size());
  if (choice == GroupChoices::kOpen) {
    for (auto& entry : entries) entry.is_open = true;
    return annotation;
  }
  const GroupChoices::Layout layout = choices_[group].LayoutOf(choice);
  for (size_t a = 0; a < layout.size(); ++a) {
    if (layout[a] == GroupChoices::kNowhere) continue;
    entries[static_cast<size_t>(layout[a])].axes.push_back(mesh_.axis(axes_[a]).name);
  }
  while (!entries.empty() && entries.back().axes.empty()) entries.pop_back();
  return annotation;
}

// No constraint says anything.
cost::Point Searchable::Opened(cost::Point point) const {
  std::fill(point.begin() + static_cast<std::ptrdiff_t>(arguments_), point.end(),
            GroupChoices::kOpen);
  return point;
}

// Where each axis lies in what the constraints of the group say.
GroupChoices::Layout Searchable::OwnLayout(const SearchGroup& group) const {
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

// Several in each, those with the first groups first.
std::vector<std::vector<size_t>> Searchable::Families(size_t begin, size_t end) const {
  std::map<std::pair<std::vector<int64_t>, std::string>, std::vector<size_t>> by_likeness;
  for (size_t g = begin; g < end; ++g) {
    for (std::string& like : LikenessesOf(groups_[g])) {
      by_likeness[{groups_[g].dims, std::move(like)}].push_back(g);
    }
  }
  std::vector<std::vector<size_t>> families;
  for (auto& [like, family] : by_likeness) {
    if (family.size() > 1) families.push_back(std::move(family));
  }
  std::sort(families.begin(), families.end());
  families.erase(std::unique(families.begin(), families.end()), families.end());
  return families;
}

// All axes that divide, on the first dimension of a batch, else on the longest.
cost::Choice Searchable::WidestChoice(size_t g) const {
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

}  // namespace tessera::pipeline
