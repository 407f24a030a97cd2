#include "tessera/pipeline/lint/lint.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::pipeline::lint {
namespace {

using Texts = std::initializer_list<absl::string_view>;

// Null patterns match if `takes_all`.
bool IsIgnored(absl::string_view rule, Texts texts, const std::vector<Ignored>& ignored,
               bool takes_all) {
  return absl::c_any_of(ignored, [&](const Ignored& one) {
    if (one.rule != rule || one.pattern == nullptr) return one.rule == rule && takes_all;
    return absl::c_any_of(texts, [&](absl::string_view text) {
      return RE2::PartialMatch(std::string(text), *one.pattern);
    });
  });
}

// With a pattern, which may match some of its arrays.
bool IgnoresArraysOf(absl::string_view rule, const std::vector<Ignored>& ignored) {
  return absl::c_any_of(
      ignored, [&](const Ignored& one) { return one.rule == rule && one.pattern != nullptr; });
}

// A rule may put arrays of one argument together: those that the user ignores are none of them.
LintProgram WithoutIgnored(const LintProgram& program, absl::string_view rule,
                           const std::vector<Ignored>& ignored) {
  LintProgram without = program;
  const auto is_ignored = [&](const LintTensor& t) {
    return t.argument >= 0 &&
           IsIgnored(rule, {t.name, t.op_name, t.location}, ignored, /*takes_all=*/false);
  };
  without.tensors.erase(std::remove_if(without.tensors.begin(), without.tensors.end(), is_ignored),
                        without.tensors.end());
  return without;
}

// Of findings with equal words, but for the name in the fix, the first, which says how many there are: a line of the program may be several operations.
void MergeAlike(std::vector<Finding>* found) {
  using Words = std::pair<std::string, std::string>;
  absl::flat_hash_map<Words, size_t> places;  // in `merged`
  std::vector<Finding> merged;
  std::vector<int> alike;
  for (Finding& finding : *found) {
    if (!finding.location.empty()) {
      const auto [known, is_new] =
          places.try_emplace(Words(finding.location, finding.message), merged.size());
      if (!is_new) {
        ++alike[known->second];
        continue;
      }
    }
    merged.push_back(std::move(finding));
    alike.push_back(0);
  }
  for (size_t k = 0; k < merged.size(); ++k) {
    if (alike[k] > 0)
      absl::StrAppend(&merged[k].message, "; ", alike[k], " more of this line alike");
  }
  *found = std::move(merged);
}

std::vector<Finding> FindingsOf(const Rule& rule, const LintProgram& program,
                                const Budget& budget) {
  std::vector<Finding> found;
  rule.check(program, budget.amount, &found);
  for (Finding& finding : found) {
    finding.rule = std::string(rule.id);
    const bool is_error = budget.is_users && !finding.is_uncertain;
    finding.severity = is_error ? Severity::kError : Severity::kWarning;
  }
  absl::c_stable_sort(found,
                      [](const Finding& a, const Finding& b) { return a.amount > b.amount; });
  MergeAlike(&found);
  return found;
}

std::string RuleNames() {
  return absl::StrJoin(Rules(), ", ",
                       [](std::string* out, const Rule& rule) { absl::StrAppend(out, rule.id); });
}

}  // namespace

absl::StatusOr<Ignored> ParseIgnored(absl::string_view text) {
  const size_t colon = text.find(':');
  Ignored ignored = {std::string(text.substr(0, colon)), nullptr};
  if (FindRule(ignored.rule) == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("--ignore=", text, ": no rule is named '",
                                                   ignored.rule, "'; there are ", RuleNames()));
  }
  if (colon == text.npos) return ignored;
  const std::string pattern(text.substr(colon + 1));
  ignored.pattern = std::make_shared<const RE2>(pattern, RE2::Quiet);
  if (ignored.pattern->ok()) return ignored;
  return absl::InvalidArgumentError(
      absl::StrCat("--ignore=", text, ": '", pattern,
                   "' is not a valid regular expression: ", ignored.pattern->error()));
}

absl::Status CheckJudged(const LintProgram& program, const LintOptions& options) {
  if (program.partitioned.ok()) return absl::OkStatus();
  for (const Rule& rule : Rules()) {
    const auto budget = options.budgets.find(rule.id);
    const bool is_users = budget != options.budgets.end() && budget->second.is_users;
    if (!is_users || !rule.needs_partition) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--", rule.budget_flag, " cannot be judged: ", program.partitioned.message()));
  }
  return absl::OkStatus();
}

std::vector<Finding> Lint(const LintProgram& program, const LintOptions& options) {
  std::vector<Finding> all;
  for (const Rule& rule : Rules()) {
    const auto budget = options.budgets.find(rule.id);
    if (budget == options.budgets.end()) continue;
    std::vector<Finding> found =
        IgnoresArraysOf(rule.id, options.ignored)
            ? FindingsOf(rule, WithoutIgnored(program, rule.id, options.ignored), budget->second)
            : FindingsOf(rule, program, budget->second);
    absl::c_copy_if(std::move(found), std::back_inserter(all), [&](const Finding& f) {
      return !IsIgnored(f.rule, {f.name, f.location, f.message}, options.ignored, true);
    });
  }
  absl::c_stable_sort(all,
                      [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  return all;
}

}  // namespace tessera::pipeline::lint
