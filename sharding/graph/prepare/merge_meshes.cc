#include "tessera/sharding/graph/prepare/merge_meshes.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/sharding/graph/prepare/rewrite_shardings.h"
#include "tessera/sharding/mesh_merge.h"
#include "tessera/sharding/program/walk.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::graph {
namespace {

bool HasInlined(const MeshTable& meshes) {
  for (MeshId id = 0; id < meshes.size(); ++id) {
    if (meshes.is_inlined(id)) return true;
  }
  return false;
}

// Inlined meshes in order of first use.
std::vector<MeshId> InlinedMeshes(Graph* graph) {
  std::vector<MeshId> meshes;
  if (!HasInlined(graph->meshes())) return meshes;
  absl::flat_hash_set<MeshId> seen;
  ForEachSharding(graph, [&](ShardingId& id) {
    const MeshId mesh = graph->shardings()[id].mesh_id();
    if (graph->meshes().is_inlined(mesh) && seen.insert(mesh).second) meshes.push_back(mesh);
  });
  return meshes;
}

absl::Status RewriteManual(Graph* graph, const MeshMerge& merge) {
  absl::Status status;
  if (graph->CountOf(OpKind::kManualComputation) == 0) return status;
  ForEachOp(*graph, [&](Op* op) {
    if (op->kind != OpKind::kManualComputation || !status.ok()) return;
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

absl::Status RewriteAll(Graph* graph, const MeshMerge& merge, const LocateError& locate) {
  absl::Status status;
  absl::flat_hash_map<ShardingId, ShardingId> known;
  ForEachSharding(graph, [&](ShardingId& id) {
    const auto [it, is_new] = known.try_emplace(id, id);
    if (is_new && status.ok()) {
      const auto rewritten = merge.Rewrite(graph->shardings()[id]);
      if (rewritten.ok()) {
        it->second = graph->shardings().Intern(*rewritten);
      } else {
        status = locate(id, rewritten.status());
      }
    }
    id = it->second;
  });
  return status;
}

}  // namespace

absl::Status MergeMeshes(Graph* graph, const LocateError& locate) {
  MeshMerge merge(graph->meshes(), InlinedMeshes(graph));
  TESSERA_RETURN_IF_ERROR(RewriteAll(graph, merge, locate));
  TESSERA_RETURN_IF_ERROR(RewriteManual(graph, merge));
  graph->meshes() = merge.TakeMeshes();
  return absl::OkStatus();
}

}  // namespace tessera::sharding::graph
