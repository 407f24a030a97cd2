// The table of all verbs: those of today in the order of `tessera --help`, then old ones, which work
// for one release and are in no list.

#ifndef TESSERA_PIPELINE_COMMAND_LINE_VERBS_H_
#define TESSERA_PIPELINE_COMMAND_LINE_VERBS_H_

#include <vector>

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

std::vector<Verb> AllVerbs();
std::vector<Verb> CurrentVerbs();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_VERBS_H_
