// `tessera record`, `tessera check` and `tessera diff`: golden shardings, and what changed.

#ifndef TESSERA_PIPELINE_VERBS_GOLDEN_GOLDEN_VERBS_H_
#define TESSERA_PIPELINE_VERBS_GOLDEN_GOLDEN_VERBS_H_

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

Verb RecordVerb();
Verb CheckVerb();
Verb DiffVerb();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_GOLDEN_GOLDEN_VERBS_H_
