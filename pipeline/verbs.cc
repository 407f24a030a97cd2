#include "tessera/pipeline/verbs.h"

#include "tessera/pipeline/verbs/convert.h"
#include "tessera/pipeline/verbs/layout_verb.h"

namespace tessera::pipeline {

std::vector<Verb> AllVerbs() { return {LayoutVerb(), ConvertVerb()}; }

}  // namespace tessera::pipeline
