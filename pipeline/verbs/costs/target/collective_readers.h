// Which instruction needs what a collective of a target's program moves.
//
//   NameReaders(module, locations, &lines);
//   lines[0].reader            // of an all-gather: the product that multiplies the gathered array
//
// Copies, reshapes and the like are looked through; of several readers the first one of the text is
// taken that has a line of the user's program. Cost: the users of a computation are
// found once; a line is linear in what it looks through. Tested by target_collectives_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_TARGET_COLLECTIVE_READERS_H_
#define TESSERA_PIPELINE_VERBS_COSTS_TARGET_COLLECTIVE_READERS_H_

#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"

namespace tessera::pipeline {

// Names the reader of each line that moves an array, if it has one. A line without a place takes its
// reader's, and its op_name if it has none: a gathered argument is of no line. `locations` are those of `module`.
void NameReaders(const hlo::Module& module, const SourceLocations& locations,
                 std::vector<CollectiveLine>* lines);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_TARGET_COLLECTIVE_READERS_H_
