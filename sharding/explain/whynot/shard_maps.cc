#include "tessera/sharding/explain/whynot/shard_maps.h"

#include "absl/algorithm/container.h"
#include "tessera/sharding/graph/graph.h"
#include "tessera/sharding/program/edges.h"

namespace tessera::sharding::explain {
namespace {

// The shard_map around a block, null if there is none.
const graph::Op* ManualAround(const graph::Block* block) {
  const graph::Op* around = block == nullptr ? nullptr : block->parent;
  while (around != nullptr && around->kind != graph::OpKind::kManualComputation) {
    around = around->block->parent;
  }
  return around;
}

// An edge stands where its owner does.
const graph::Block* BlockOf(const graph::Value* value) {
  const graph::Op* def = value->def();
  if (def != nullptr && def->kind == graph::OpKind::kDataFlowEdge) value = def->operand(0);
  return value->def() != nullptr ? value->def()->block : value->owner();
}

}  // namespace

ShardMaps::ShardMaps(const EventLog& log) : log_(log) {
  if (log.graph().CountOf(graph::OpKind::kManualComputation) == 0) return;
  for (const graph::Value* value : log.program().values()) {
    by_value_.push_back(MapOf(ManualAround(BlockOf(value))));
  }
  for (const propagation::EdgeSpec& edge : log.program().edges()) {
    const graph::Op* op = program::OpOf(log.program().value(edge.owner));
    by_edge_.push_back(MapOf(op->kind == graph::OpKind::kManualComputation ? op : nullptr));
  }
}

const ShardMap* ShardMaps::MapOf(const graph::Op* manual) {
  if (manual == nullptr) return nullptr;
  const auto known = by_op_.find(manual);
  if (known != by_op_.end()) return known->second;
  const graph::ManualInfo& info = *manual->As<graph::ManualInfo>();
  ShardMap map;
  map.begin = info.global_to_local;
  map.around = MapOf(ManualAround(manual->block));
  for (const int axis : info.manual_axes) {
    map.axes.push_back(log_.graph().meshes().mesh(info.mesh).axis(axis).name);
  }
  maps_.push_back(std::move(map));
  by_op_[manual] = &maps_.back();
  return &maps_.back();
}

const ShardMap* ShardMaps::Around(SlotId slot, absl::string_view axis) const {
  if (log_.IsOutput(slot) || by_value_.empty()) return nullptr;
  const ShardMap* map = by_value_[static_cast<size_t>(slot)];
  while (map != nullptr && !absl::c_linear_search(map->axes, axis)) map = map->around;
  return map;
}

const ShardMap* ShardMaps::Of(propagation::EdgeId edge) const {
  return by_edge_.empty() ? nullptr : by_edge_[static_cast<size_t>(edge)];
}

}  // namespace tessera::sharding::explain
