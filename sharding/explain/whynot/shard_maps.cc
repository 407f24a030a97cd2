#include "tessera/sharding/explain/whynot/shard_maps.h"

#include "absl/algorithm/container.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/program/edges.h"

namespace tessera::sharding::explain {
namespace {

// The shard_map around a block, null if there is none.
const passes::Op* ManualAround(const passes::Block* block) {
  const passes::Op* around = block == nullptr ? nullptr : block->parent;
  while (around != nullptr && around->kind != passes::OpKind::kManualComputation) {
    around = around->block->parent;
  }
  return around;
}

// An edge stands where its owner does.
const passes::Block* BlockOf(const passes::Value* value) {
  const passes::Op* def = value->def();
  if (def != nullptr && def->kind == passes::OpKind::kDataFlowEdge) value = def->operand(0);
  return value->def() != nullptr ? value->def()->block : value->owner();
}

}  // namespace

ShardMaps::ShardMaps(const EventLog& log) : log_(log) {
  if (log.program().CountOf(passes::OpKind::kManualComputation) == 0) return;
  for (const passes::Value* value : log.numbered().values()) {
    by_value_.push_back(MapOf(ManualAround(BlockOf(value))));
  }
  for (const propagation::EdgeSpec& edge : log.numbered().edges()) {
    const passes::Op* op = program::OpOf(log.numbered().value(edge.owner));
    by_edge_.push_back(MapOf(op->kind == passes::OpKind::kManualComputation ? op : nullptr));
  }
}

const ShardMap* ShardMaps::MapOf(const passes::Op* manual) {
  if (manual == nullptr) return nullptr;
  const auto known = by_op_.find(manual);
  if (known != by_op_.end()) return known->second;
  const passes::ManualInfo& info = *manual->As<passes::ManualInfo>();
  ShardMap map;
  map.begin = info.global_to_local;
  map.around = MapOf(ManualAround(manual->block));
  for (const int axis : info.manual_axes) {
    map.axes.push_back(log_.program().meshes().mesh(info.mesh).axis(axis).name);
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
