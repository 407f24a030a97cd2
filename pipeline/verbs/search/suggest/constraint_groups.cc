#include "tessera/pipeline/verbs/search/suggest/constraint_groups.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "re2/re2.h"
#include "tessera/layout/element_bytes.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/pipeline/pattern_annotation.h"
#include "tessera/text/checked.h"

namespace tessera::pipeline {

using hlo::InstructionId;

void AddTensor(const layout::Shape& shape, SearchGroup* group) {
  if (group->count == 0) group->dims.assign(shape.dims().begin(), shape.dims().end());
  for (size_t d = 0; d < group->dims.size(); ++d) {
    group->dims[d] = std::gcd(group->dims[d], shape.dim(static_cast<int64_t>(d)));
  }
  group->bytes = SaturatingSum(group->bytes, layout::DataBytes(shape));
  ++group->count;
}

std::optional<std::string> PatternOfThese(const hlo::Module& module,
                                          const std::vector<InstructionId>& ids) {
  const std::string names = absl::StrJoin(ids, "|", [&](std::string* out, InstructionId id) {
    const absl::string_view name = module.instruction(id).name;
    absl::StrAppend(out, RE2::QuoteMeta(re2::StringPiece(name.data(), name.size())));
  });
  std::string pattern = absl::StrCat("^(", names, ")$");
  const auto found = FindMatches(module, {{pattern, {}}});
  if (!found.ok() || found->front() != ids) return std::nullopt;
  return pattern;
}

namespace {

// Its constraints in ascending order, and the group without a pattern.
struct Members {
  std::vector<InstructionId> ids;
  SearchGroup group;
};

std::vector<Members> GroupsOf(const hlo::Module& module,
                              const std::vector<ConstraintSaid>& constraints) {
  const SourceLocations locations(module);
  using Looks = std::tuple<std::vector<std::string>, int64_t, std::string>;
  std::map<Looks, size_t> known;
  std::vector<Members> groups;
  for (const ConstraintSaid& one : constraints) {
    const layout::Shape& shape = module.shape(one.instruction);
    std::vector<std::string> lines = locations.LinesTo(one.instruction);
    std::vector<std::string> key = lines;
    if (key.empty()) key.emplace_back(module.instruction(one.instruction).name);
    const auto [at, is_new] =
        known.try_emplace({std::move(key), shape.rank(), one.spec.ToString()}, groups.size());
    if (is_new) {
      SearchGroup& group = groups.emplace_back().group;
      group.is_constraint = true;
      group.lines = std::move(lines);
      group.own = one.spec;
    }
    AddTensor(shape, &groups[at->second].group);
    groups[at->second].ids.push_back(one.instruction);
  }
  return groups;
}

}  // namespace

std::vector<SearchGroup> ConstraintGroups(const hlo::Module& module,
                                          const std::vector<ConstraintSaid>& constraints,
                                          size_t most) {
  std::vector<Members> groups = GroupsOf(module, constraints);
  absl::c_stable_sort(
      groups, [](const Members& a, const Members& b) { return a.group.bytes > b.group.bytes; });
  std::vector<SearchGroup> largest;
  for (Members& one : groups) {
    if (largest.size() == most) break;
    std::optional<std::string> pattern = PatternOfThese(module, one.ids);
    if (!pattern.has_value()) continue;
    one.group.pattern = *std::move(pattern);
    largest.push_back(std::move(one.group));
  }
  return largest;
}

std::string PlaceText(const SearchGroup& group, const std::vector<SearchGroup>& all) {
  std::vector<std::vector<std::string>> lines;
  for (const SearchGroup& other : all) lines.push_back(other.lines);
  return DistinctPlace(group.lines, lines);
}

}  // namespace tessera::pipeline
