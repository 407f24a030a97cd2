// The findings of lint in the forms that people and CI systems read.
//
//   LintText(report)      step.py:41: error: [replicated-array] ..
//   LintSarif(report)     SARIF 2.1.0, which code scanning of GitHub and editors show on the line
//   LintGithub(report)    ::error file=step.py,line=41,title=..::..   in the log of an action
//   LintJson(report)      a LintAnswer of pipeline/schema/lint_answer.proto
//
// Tested by forms_test.cc.

#ifndef TESSERA_PIPELINE_LINT_FORMS_FORMS_H_
#define TESSERA_PIPELINE_LINT_FORMS_FORMS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/pipeline/lint/rule.h"

namespace tessera::pipeline::lint {

struct LintReport {
  std::string file;               // the module, as the user named it
  std::string root;               // the folder that places are relative to
  std::vector<Finding> findings;  // errors first
};

int NumErrors(const LintReport& report);

// A line and the fix for each finding, then the counts.
std::string LintText(const LintReport& report);
std::string LintSarif(const LintReport& report);
std::string LintGithub(const LintReport& report);
std::string LintJson(const LintReport& report);

absl::string_view SeverityWord(Severity severity);  // "error", "warning"

}  // namespace tessera::pipeline::lint

#endif  // TESSERA_PIPELINE_LINT_FORMS_FORMS_H_
