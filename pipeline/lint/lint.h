// Findings of a sharded program against budgets: what `tessera lint` prints.
//
//   LintOptions options = {{{"replicated-array", {64 << 20, /*is_users=*/true}}}, {}};
//   for (const Finding& f : Lint(program, options)) f.message;
//
// A finding above a budget that the user has set is an error. One above a default is a warning, and
// so is a prediction whose error band holds the budget.
//
// Cost: linear in the tensors and collectives. Tested by lint_test.cc.

#ifndef TESSERA_PIPELINE_LINT_LINT_H_
#define TESSERA_PIPELINE_LINT_LINT_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "re2/re2.h"
#include "tessera/pipeline/lint/program.h"
#include "tessera/pipeline/lint/rule.h"

namespace tessera::pipeline::lint {

struct Budget {
  double amount = 0;
  bool is_users = false;
};

// A rule, or the findings of it whose name, place or message has a match.
struct Ignored {
  std::string rule;
  std::shared_ptr<const RE2> pattern;  // null: all
};

// RULE or RULE:REGEX. InvalidArgument for an unknown rule and for what is no regular expression.
absl::StatusOr<Ignored> ParseIgnored(absl::string_view text);

struct LintOptions {
  std::map<std::string, Budget, std::less<>> budgets;  // by rule; a rule without one is not run
  std::vector<Ignored> ignored;
};

// InvalidArgument, with the partitioner's reason, if a budget of the user cannot be judged: such a check
// would pass for ever.
absl::Status CheckJudged(const LintProgram& program, const LintOptions& options);

// Errors first; then in order of the rules, of one rule the largest first.
std::vector<Finding> Lint(const LintProgram& program, const LintOptions& options);

}  // namespace tessera::pipeline::lint

#endif  // TESSERA_PIPELINE_LINT_LINT_H_
