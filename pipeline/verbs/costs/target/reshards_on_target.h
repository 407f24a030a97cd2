// The collectives of each reshard that a target's compiler finally runs.
//
//   TESSERA_ASSIGN_OR_RETURN(const auto names, NamesOfCollectives(program));
//   TESSERA_ASSIGN_OR_RETURN(auto lines, TargetLines(..));    // of program.device, after the passes
//   TakeFinal(names, lines, &reshards);
//   reshards.list[0].on_target->total     // bytes
//
// A reshard is the partitioner's. Its collectives have names in the partitioned module, and each
// array of a final collective names those that it was made from (target_lines.h). A final array of
// two reshards is half of each; a reshard of which nothing is left sends 0 bytes.
//
// Cost: linear in the collectives. Tested by reshards_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_TARGET_RESHARDS_ON_TARGET_H_
#define TESSERA_PIPELINE_VERBS_COSTS_TARGET_RESHARDS_ON_TARGET_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/pipeline/verbs/costs/input/partitioned_program.h"
#include "tessera/pipeline/verbs/costs/reshard_list.h"

namespace tessera::pipeline {

// By CollectiveLine::number: the instruction of the partitioned module; "" for one that is not in it.
// `program` was partitioned with Options::lists_causes.
std::vector<std::string> NamesOfCollectives(const PartitionedProgram& program);

// Gives each reshard its ReshardOnTarget, and brings the list in the order of what is finally sent.
void TakeFinal(absl::Span<const std::string> names, absl::Span<const CollectiveLine> final_lines,
               Reshards* reshards);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_TARGET_RESHARDS_ON_TARGET_H_
