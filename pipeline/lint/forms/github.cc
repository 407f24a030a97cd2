// Workflow commands: a line that the runner of GitHub Actions shows on the changed line of a pull
// request. Percent signs and line ends are escaped, in properties colons and commas too.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tessera/pipeline/lint/forms/forms.h"
#include "tessera/pipeline/lint/forms/source_place.h"

namespace tessera::pipeline::lint {
namespace {

std::string Data(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"%", "%25"}, {"\r", "%0D"}, {"\n", "%0A"}});
}

std::string Property(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"%", "%25"}, {"\r", "%0D"}, {"\n", "%0A"}, {":", "%3A"}, {",", "%2C"}});
}

}  // namespace

std::string LintGithub(const LintReport& report) {
  std::string text;
  for (const Finding& f : report.findings) {
    const SourcePlace place = PlaceBelow(report.root, f.location);
    absl::StrAppend(&text, "::", SeverityWord(f.severity), " ");
    if (!place.file.empty()) {
      absl::StrAppend(&text, "file=", Property(place.file), ",line=", place.line, ",");
    }
    absl::StrAppend(&text, "title=", Property(absl::StrCat("tessera ", f.rule)),
                    "::", Data(f.message));
    if (!f.fix.empty()) absl::StrAppend(&text, Data(absl::StrCat("\nfix: ", f.fix)));
    absl::StrAppend(&text, "\n");
  }
  return text;
}

}  // namespace tessera::pipeline::lint
