// The page of `tessera report`: styles, scripts and data in one text of HTML.
//
//   ReportPage("step.hlo", ReportJson(data));
//
// The template (page/page.html) has a mark for each part, such as <!--tessera:data-->. Nothing that
// comes from the module is markup: the title is escaped for HTML, the data for a script element, and
// the scripts put texts into the page as texts.
// Tested by report_test.cc and, in a browser, by testing/page.

#ifndef TESSERA_PIPELINE_REPORT_PAGE_H_
#define TESSERA_PIPELINE_REPORT_PAGE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tessera::pipeline {

std::string ReportPage(absl::string_view title, absl::string_view json);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_REPORT_PAGE_H_
