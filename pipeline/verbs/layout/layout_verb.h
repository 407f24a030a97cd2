// `tessera layout TEXT`: sizes, padding, index maps, advice and pictures of one shape.

#ifndef TESSERA_PIPELINE_VERBS_LAYOUT_LAYOUT_VERB_H_
#define TESSERA_PIPELINE_VERBS_LAYOUT_LAYOUT_VERB_H_

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

Verb LayoutVerb();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_LAYOUT_LAYOUT_VERB_H_
