#ifndef TESSERA_PIPELINE_VERBS_REPORT_VERB_H_
#define TESSERA_PIPELINE_VERBS_REPORT_VERB_H_

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

// tessera report: everything about a module on one page of HTML.
Verb ReportVerb();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_REPORT_VERB_H_
