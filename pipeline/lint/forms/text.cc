#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/pipeline/lint/forms/forms.h"
#include "tessera/pipeline/lint/forms/source_place.h"
#include "tessera/pipeline/schema/lint_answer.pb.h"
#include "tessera/text/message_json/message_json.h"

namespace tessera::pipeline::lint {
namespace {

std::string Counted(int64_t count, absl::string_view what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

std::string PlaceText(const LintReport& report, const Finding& finding) {
  const SourcePlace place = PlaceBelow(report.root, finding.location);
  return place.file.empty() ? report.file : absl::StrCat(place.file, ":", place.line);
}

}  // namespace

absl::string_view SeverityWord(Severity severity) {
  return severity == Severity::kError ? "error" : "warning";
}

int NumErrors(const LintReport& report) {
  return static_cast<int>(absl::c_count_if(
      report.findings, [](const Finding& f) { return f.severity == Severity::kError; }));
}

std::string LintText(const LintReport& report) {
  std::string text;
  absl::string_view last_fix;
  for (const Finding& f : report.findings) {
    absl::StrAppend(&text, PlaceText(report, f), ": ", SeverityWord(f.severity), ": [", f.rule,
                    "] ", f.message, "\n");
    if (!f.fix.empty()) {
      absl::StrAppend(&text, "    fix: ", f.fix == last_fix ? "as above" : f.fix, "\n");
    }
    last_fix = f.fix;
  }
  const int errors = NumErrors(report);
  const auto warnings = static_cast<int64_t>(report.findings.size()) - errors;
  return absl::StrCat(text, Counted(errors, "error"), ", ", Counted(warnings, "warning"), "\n");
}

std::string LintJson(const LintReport& report) {
  answers::LintAnswer answer;
  for (const Finding& f : report.findings) {
    const SourcePlace place = PlaceBelow(report.root, f.location);
    answers::LintFinding* finding = answer.add_findings();
    finding->set_rule(f.rule);
    finding->set_severity(std::string(SeverityWord(f.severity)));
    finding->set_name(f.name);
    finding->set_message(f.message);
    finding->set_fix(f.fix);
    if (!place.file.empty()) {
      finding->set_file(place.file);
      finding->set_line(place.line);
    }
    finding->set_amount(f.amount);
  }
  answer.set_errors(NumErrors(report));
  answer.set_warnings(answer.findings_size() - answer.errors());
  return text::JsonOf(answer) + "\n";
}

}  // namespace tessera::pipeline::lint
