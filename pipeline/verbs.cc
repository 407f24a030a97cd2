#include "tessera/pipeline/verbs.h"

namespace tessera::pipeline {

std::vector<Verb> AllVerbs() { return {}; }

}  // namespace tessera::pipeline
