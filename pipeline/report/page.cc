#include "tessera/pipeline/report/page.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/pipeline/report/pack.h"
#include "tessera/pipeline/report/resources.h"

namespace tessera::pipeline {

std::string ReportPage(absl::string_view title, absl::string_view json) {
  const std::string safe_title = EscapedForHtml(title);
  const std::string safe_json = EscapedForScript(json);
  const std::string licences = EscapedForHtml(Licences());
  const std::pair<absl::string_view, absl::string_view> parts[] = {
      {"title", safe_title},  {"style", Style()},  {"libraries", Libraries()},
      {"licences", licences}, {"data", safe_json}, {"script", Script()},
  };
  // In the order of the template, so that no part is searched for marks of others.
  std::string page;
  absl::string_view rest = Template();
  for (const auto& [name, text] : parts) {
    const std::string mark = absl::StrCat("<!--tessera:", name, "-->");
    const size_t at = rest.find(mark);
    if (at == absl::string_view::npos) continue;
    absl::StrAppend(&page, rest.substr(0, at), text);
    rest.remove_prefix(at + mark.size());
  }
  absl::StrAppend(&page, rest);
  return page;
}

}  // namespace tessera::pipeline
