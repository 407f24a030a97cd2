// Which instruction needs what a collective of a target's program moves.
//
//   CollectiveReaders readers(module);
//   readers.Of(id)     // of an all-gather: the product that multiplies the gathered array
//
// Copies, reshapes and the like are looked through; of several readers the first one of the text is
// taken that has a line of the user's program. kNoId: none has one. Cost: the users of a computation are
// found once; a question is linear in what it looks through. Tested by target_collectives_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_TARGET_COLLECTIVE_READERS_H_
#define TESSERA_PIPELINE_VERBS_COSTS_TARGET_COLLECTIVE_READERS_H_

#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/order.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"

namespace tessera::pipeline {

class CollectiveReaders {
 public:
  explicit CollectiveReaders(const hlo::Module& module) : module_(module), locations_(module) {}

  hlo::InstructionId Of(hlo::InstructionId collective);

 private:
  const hlo::UserMap& UsersIn(hlo::ComputationId id);

  const hlo::Module& module_;
  const SourceLocations locations_;
  absl::flat_hash_map<hlo::ComputationId, hlo::UserMap> users_;
};

// Names the reader of each line that moves an array. A line without op_name and place takes its reader's.
void NameReaders(const hlo::Module& module, std::vector<CollectiveLine>* lines);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_TARGET_COLLECTIVE_READERS_H_
