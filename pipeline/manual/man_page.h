// tessera(1) out of the table of verbs: a section for each, with its flags and examples.

#ifndef TESSERA_PIPELINE_MANUAL_MAN_PAGE_H_
#define TESSERA_PIPELINE_MANUAL_MAN_PAGE_H_

#include <string>
#include <vector>

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline::manual {

// Roff with the macros of man(7). No date stands in it, so that two builds are equal.
std::string ManPage(const std::vector<Verb>& verbs);

}  // namespace tessera::pipeline::manual

#endif  // TESSERA_PIPELINE_MANUAL_MAN_PAGE_H_
