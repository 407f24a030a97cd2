// The graph of a module's tensors, which `report` writes in the forms that are no page.
//
//   if (IsGraphFormat(arguments.Get("format"))) return ReportGraph(arguments);

#ifndef TESSERA_PIPELINE_VERBS_REPORT_GRAPH_H_
#define TESSERA_PIPELINE_VERBS_REPORT_GRAPH_H_

#include "absl/strings/string_view.h"
#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

bool IsGraphFormat(absl::string_view format);  // text, dot, model-explorer

// Of all tensors, or of those within --within edges of the second positional.
VerbResult ReportGraph(const Arguments& arguments);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_REPORT_GRAPH_H_
