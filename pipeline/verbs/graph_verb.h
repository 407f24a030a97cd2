// `tessera graph`: the tensors around one, or all, as a graph for a terminal, for Graphviz, or for Model
// Explorer.

#ifndef TESSERA_PIPELINE_VERBS_GRAPH_VERB_H_
#define TESSERA_PIPELINE_VERBS_GRAPH_VERB_H_

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

Verb GraphVerb();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_GRAPH_VERB_H_
