// The table of all verbs, in the order of `tessera --help`.

#ifndef TESSERA_PIPELINE_COMMAND_LINE_VERBS_H_
#define TESSERA_PIPELINE_COMMAND_LINE_VERBS_H_

#include <vector>

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

std::vector<Verb> AllVerbs();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_VERBS_H_
