#include "tessera/sharding/graph/prepare/merge_meshes.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "tessera/sharding/graph/prepare/rewrite_shardings.h"
#include "tessera/sharding/graph/walk.h"
#include "tessera/sharding/mesh_merge.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::graph {
namespace {

// Inlined meshes in order of first use.
std::vector<MeshId> InlinedMeshes(Graph* graph) {
  std::vector<MeshId> meshes;
  absl::flat_hash_set<MeshId> seen;
  ForEachSharding(graph, [&](ShardingId& id) {
    const MeshId mesh = graph->shardings()[id].mesh_id();
    if (graph->meshes().is_inlined(mesh) && seen.insert(mesh).second) meshes.push_back(mesh);
  });
  return meshes;
}

using Renamed = absl::flat_hash_map<ShardingId, ShardingId>;

absl::Status RewriteManual(Graph* graph, const MeshMerge& merge) {
  absl::Status status;
  if (graph->CountOf(OpKind::kManual) == 0) return status;
  ForEachOp(*graph, [&](Op* op) {
    if (op->kind != OpKind::kManual || !status.ok()) return;
    ManualInfo* info = op->As<ManualInfo>();
    if (info->mesh == kNoMesh) return;
    auto axes = merge.RewriteManualAxes(info->mesh, info->manual_axes);
    if (!axes.ok()) {
      status = text::ErrorAt(graph->module().instruction(op->source).source.begin,
                             axes.status().message());
      return;
    }
    info->manual_axes = *std::move(axes);
    info->mesh = merge.MapMesh(info->mesh);
  });
  return status;
}

// What each sharding in use becomes; the graph stays as it is.
absl::StatusOr<Renamed> RewriteEach(Graph* graph, const MeshMerge& merge,
                                    const LocateError& locate) {
  Renamed renamed;
  absl::Status status;
  ForEachSharding(graph, [&](ShardingId& id) {
    const auto [it, is_new] = renamed.try_emplace(id, id);
    if (!is_new || !status.ok()) return;
    const auto rewritten = merge.Rewrite(graph->shardings()[id]);
    if (rewritten.ok()) {
      it->second = graph->shardings().Intern(*rewritten);
    } else {
      status = locate(id, rewritten.status());
    }
  });
  if (!status.ok()) return status;
  return renamed;
}

}  // namespace

absl::Status MergeMeshes(Graph* graph, const LocateError& locate) {
  MeshMerge merge(graph->meshes(), InlinedMeshes(graph));
  TESSERA_ASSIGN_OR_RETURN(const Renamed renamed, RewriteEach(graph, merge, locate));
  TESSERA_RETURN_IF_ERROR(RewriteManual(graph, merge));
  ForEachSharding(graph, [&](ShardingId& id) { id = renamed.at(id); });
  graph->meshes() = merge.TakeMeshes();
  return absl::OkStatus();
}

}  // namespace tessera::sharding::graph
