#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/pipeline/lint/forms/forms.h"
#include "tessera/pipeline/lint/forms/source_place.h"
#include "tessera/text/formats/json.h"

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
  for (const Finding& f : report.findings) {
    absl::StrAppend(&text, PlaceText(report, f), ": ", SeverityWord(f.severity), ": [", f.rule,
                    "] ", f.message, "\n");
    if (!f.fix.empty()) absl::StrAppend(&text, "    fix: ", f.fix, "\n");
  }
  const int errors = NumErrors(report);
  const auto warnings = static_cast<int64_t>(report.findings.size()) - errors;
  return absl::StrCat(text, Counted(errors, "error"), ", ", Counted(warnings, "warning"), "\n");
}

std::string LintJson(const LintReport& report) {
  text::JsonWriter json;
  json.BeginObject().Key("findings").BeginArray();
  for (const Finding& f : report.findings) {
    const SourcePlace place = PlaceBelow(report.root, f.location);
    json.BeginObject().Key("rule").String(f.rule);
    json.Key("severity").String(SeverityWord(f.severity));
    json.Key("name").String(f.name).Key("message").String(f.message);
    json.TextUnlessEmpty("fix", f.fix);
    if (!place.file.empty()) json.Key("file").String(place.file).Key("line").Int(place.line);
    json.Key("amount").Double(f.amount).EndObject();
  }
  const int errors = NumErrors(report);
  json.EndArray().Key("errors").Int(errors);
  json.Key("warnings").Int(static_cast<int64_t>(report.findings.size()) - errors).EndObject();
  return json.text() + "\n";
}

}  // namespace tessera::pipeline::lint
