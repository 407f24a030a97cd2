// `tessera convert`: one sharding in all of its forms.

#ifndef TESSERA_PIPELINE_VERBS_CONVERT_CONVERT_H_
#define TESSERA_PIPELINE_VERBS_CONVERT_CONVERT_H_

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

Verb ConvertVerb();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_CONVERT_CONVERT_H_
