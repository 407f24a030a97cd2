#include "tessera/sharding/partition/partitioner.h"

#include <utility>

#include "tessera/sharding/partition/emit/emitter.h"
#include "tessera/sharding/partition/input.h"
#include "tessera/sharding/partition/ops/visit.h"
#include "tessera/sharding/partition/report.h"
#include "tessera/sharding/partition/walk/body_walk.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::partition {

namespace {

absl::Status Walk(const hlo::Module& module, Visits visits, Graph* graph, Bodies* bodies) {
  const ModuleView view(module);
  LeafLists lists;
  TupleLeaves tuple_leaves(module);
  TESSERA_ASSIGN_OR_RETURN(Input input, Input::Read(view, graph->behaviors(), lists, tuple_leaves));
  return BodyWalk(view, std::move(input), lists, tuple_leaves, visits, graph, bodies).Run();
}

}  // namespace

absl::StatusOr<Partitioned> FindCollectives(const hlo::Module& module,
                                            const reference::Behaviors& behaviors, Visits visits) {
  Graph graph(behaviors);
  Bodies bodies;
  TESSERA_RETURN_IF_ERROR(Walk(module, visits, &graph, &bodies));
  LiveNodes live = FindLiveNodes(bodies.nodes(), graph);
  return Report(module, graph, live.collectives, bodies.Release());
}

absl::StatusOr<PartitionedModule> PartitionModule(const hlo::Module& module,
                                                  const reference::Behaviors& behaviors,
                                                  const Options& options) {
  Graph graph(behaviors, /*keeps_recipes=*/true, options);
  Bodies bodies;
  TESSERA_RETURN_IF_ERROR(Walk(module, Visits::kRepeated, &graph, &bodies));
  graph.ForgetReshards();
  if (options.on_visited) options.on_visited();
  const LiveNodes live = FindLiveNodes(bodies.nodes(), graph);
  PartitionedModule device;
  TESSERA_ASSIGN_OR_RETURN(Emitted emitted,
                           EmitModule(module, graph, bodies, live, options.lists_causes));
  device.module = std::move(emitted.module);
  device.sources = std::move(emitted.sources);
  device.causes = std::move(emitted.causes);
  device.elements = std::move(emitted.elements);
  if (options.lists_collectives) {
    device.found = Report(module, graph, live.collectives, bodies.Release());
  }
  return device;
}

}  // namespace tessera::sharding::partition
