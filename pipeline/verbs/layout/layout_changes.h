// Changes of the layout of an array in a finished program: copies, transposes, bitcasts, and fusions
// that hold one.
//
//   for (const answers::ProgramLayoutChange& c : FindLayoutChanges(module)) c.name();   // "copy.3"
//
// Most bytes first. Linear in the module. Tested by program_layouts_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_LAYOUT_LAYOUT_CHANGES_H_
#define TESSERA_PIPELINE_VERBS_LAYOUT_LAYOUT_CHANGES_H_

#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/pipeline/schema/program_layouts_answer.pb.h"

namespace tessera::pipeline {

std::vector<answers::ProgramLayoutChange> FindLayoutChanges(const hlo::Module& module);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_LAYOUT_LAYOUT_CHANGES_H_
