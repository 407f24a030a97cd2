// Budgets of collectives: of each, and of all of a step together. Without a budget of the user's
// neither has findings: how much is too much depends on the program.

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/lint/rules/rules.h"

namespace tessera::pipeline::lint {

namespace {

// Axes of a mesh, not lists of devices: `explain` can be asked for them.
bool AreNamed(absl::string_view axes) {
  return !axes.empty() && axes.find_first_of("{: ") == absl::string_view::npos;
}

}  // namespace

std::string AnnotationsFix(const LintCollective& collective) {
  const std::string& name = collective.asked.empty() ? collective.consumer : collective.asked;
  const std::string axis = collective.axes.substr(0, collective.axes.find(','));
  const std::string explain =
      name.empty() || !AreNamed(axis)
          ? ""
          : absl::StrCat("`tessera explain FILE ", name, " --axis=", axis,
                         "` says where the axis is and which edit opens a dimension to it; ");
  return absl::StrCat(explain,
                      "`tessera reshards FILE` tries new annotations, `tessera suggest "
                      "FILE` searches them and constraints");
}

void CheckCollectives(const LintProgram& program, double budget, std::vector<Finding>* found) {
  for (const LintCollective& c : program.collectives) {
    const auto sent = static_cast<double>(c.sent);
    if (sent <= budget) continue;
    Finding& finding = found->emplace_back();
    finding.name = c.consumer;
    finding.location = c.location;
    finding.message = absl::StrCat(
        c.op, " ", c.shape, " over ", c.axes, ": each device sends ", layout::FormatBytes(c.sent),
        c.runs > 1 ? absl::StrCat(" in ", c.runs, " runs") : std::string());
    const bool is_sum = c.op == "all-reduce" || c.op == "reduce-scatter";  // no reshard
    finding.fix = is_sum ? "`tessera suggest FILE` tries other annotations" : AnnotationsFix(c);
    finding.amount = sent;
  }
}

void CheckSentBytes(const LintProgram& program, double budget, std::vector<Finding>* found) {
  double sent = 0;
  for (const LintCollective& c : program.collectives) sent += static_cast<double>(c.sent);
  if (sent <= budget) return;
  Finding& finding = found->emplace_back();
  finding.name = "the program";
  finding.location = program.collectives.front().location;
  const size_t count = program.collectives.size();
  finding.message = absl::StrCat(
      count, count == 1 ? " collective" : " collectives", ", each device sends ",
      layout::FormatBytes(static_cast<int64_t>(sent)), "; the largest is at this line");
  finding.fix = "`tessera collectives FILE --by=line` lists the lines";
  finding.amount = sent;
}

}  // namespace tessera::pipeline::lint
