#include "tessera/sharding/partition/partitioner.h"

#include <utility>

#include "tessera/sharding/partition/input.h"
#include "tessera/sharding/partition/walk/body_walk.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::partition {

absl::StatusOr<Partitioned> FindCollectives(const hlo::Module& module,
                                            const reference::Behaviors& behaviors, Visits visits) {
  LeafLists lists;
  TupleLeaves tuple_leaves(module);
  TESSERA_ASSIGN_OR_RETURN(Input input, Input::Read(module, behaviors, lists, tuple_leaves));
  return BodyWalk(module, std::move(input), lists, tuple_leaves, behaviors, visits).Run();
}

}  // namespace tessera::sharding::partition
