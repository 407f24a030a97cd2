#include "tessera/pipeline/verbs.h"

#include "tessera/pipeline/verbs/convert.h"
#include "tessera/pipeline/verbs/layout_verb.h"
#include "tessera/pipeline/verbs/rules_verb.h"

namespace tessera::pipeline {

std::vector<Verb> AllVerbs() { return {RulesVerb(), LayoutVerb(), ConvertVerb()}; }

}  // namespace tessera::pipeline
