#include "tessera/sharding/partition/partitioner.h"

#include <utility>

#include "tessera/sharding/partition/emit/emitter.h"
#include "tessera/sharding/partition/input.h"
#include "tessera/sharding/partition/ops/visit.h"
#include "tessera/sharding/partition/report.h"
#include "tessera/sharding/partition/walk/body_walk.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::partition {

absl::StatusOr<Partitioned> FindCollectives(const hlo::Module& module,
                                            const reference::Behaviors& behaviors, Visits visits) {
  const ModuleView view(module);
  LeafLists lists;
  TupleLeaves tuple_leaves(module);
  TESSERA_ASSIGN_OR_RETURN(Input input, Input::Read(view, behaviors, lists, tuple_leaves));
  BodyWalk walk(view, std::move(input), lists, tuple_leaves, behaviors, visits);
  TESSERA_RETURN_IF_ERROR(walk.Run());
  LiveNodes live = FindLiveNodes(walk.bodies().nodes(), walk.graph());
  return Report(module, walk.graph(), live.collectives, walk.bodies().Release());
}

absl::StatusOr<PartitionedModule> PartitionModule(const hlo::Module& module,
                                                  const reference::Behaviors& behaviors,
                                                  const Options& options) {
  const ModuleView view(module);
  LeafLists lists;
  TupleLeaves tuple_leaves(module);
  TESSERA_ASSIGN_OR_RETURN(Input input, Input::Read(view, behaviors, lists, tuple_leaves));
  BodyWalk walk(view, std::move(input), lists, tuple_leaves, behaviors, Visits::kRepeated,
                /*keeps_recipes=*/true, options);
  TESSERA_RETURN_IF_ERROR(walk.Run());
  walk.ForgetVisits();
  const LiveNodes live = FindLiveNodes(walk.bodies().nodes(), walk.graph());
  PartitionedModule device;
  TESSERA_ASSIGN_OR_RETURN(
      Emitted emitted, EmitModule(module, walk.graph(), walk.bodies(), live, options.lists_causes));
  device.module = std::move(emitted.module);
  device.sources = std::move(emitted.sources);
  device.causes = std::move(emitted.causes);
  device.elements = std::move(emitted.elements);
  if (options.lists_collectives) {
    device.found = Report(module, walk.graph(), live.collectives, walk.bodies().Release());
  }
  return device;
}

}  // namespace tessera::sharding::partition
