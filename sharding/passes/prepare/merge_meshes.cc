// Rewrites all shardings of the program to one mesh for each set of devices (sharding/mesh_merge.h).

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/error_at.h"
#include "tessera/sharding/mesh_merge.h"
#include "tessera/sharding/passes/prepare/prepare.h"
#include "tessera/sharding/passes/prepare/rewrite_shardings.h"
#include "tessera/sharding/program/walk.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

bool HasInlined(const MeshTable& meshes) {
  for (MeshId id = 0; id < meshes.size(); ++id) {
    if (meshes.is_inlined(id)) return true;
  }
  return false;
}

// Inlined meshes in order of first use.
std::vector<MeshId> InlinedMeshes(HloProgram* program) {
  std::vector<MeshId> meshes;
  if (!HasInlined(program->meshes())) return meshes;
  absl::flat_hash_set<MeshId> seen;
  ForEachSharding(program, [&](ShardingId& id) {
    const MeshId mesh = program->shardings()[id].mesh_id();
    if (program->meshes().is_inlined(mesh) && seen.insert(mesh).second) meshes.push_back(mesh);
  });
  return meshes;
}

absl::Status RewriteManualAxes(HloProgram* program, const MeshMerge& merge) {
  absl::Status status;
  if (program->CountOf(OpKind::kManualComputation) == 0) return status;
  ForEachOp(*program, [&](Op* op) {
    if (op->kind != OpKind::kManualComputation || !status.ok()) return;
    ManualInfo* info = op->As<ManualInfo>();
    if (info->mesh == kNoMesh) return;
    auto axes = merge.RewriteManualAxes(info->mesh, info->manual_axes);
    if (!axes.ok()) {
      status = hlo::ErrorAt(program->module(), op->source, axes.status().message());
      return;
    }
    info->manual_axes = *std::move(axes);
    info->mesh = merge.MapMesh(info->mesh);
  });
  return status;
}

absl::Status RewriteAll(HloProgram* program, const MeshMerge& merge, const LocateError& locate) {
  absl::Status status;
  absl::flat_hash_map<ShardingId, ShardingId> known;
  ForEachSharding(program, [&](ShardingId& id) {
    const auto [it, is_new] = known.try_emplace(id, id);
    if (is_new && status.ok()) {
      const auto rewritten = merge.Rewrite(program->shardings()[id]);
      if (rewritten.ok()) {
        it->second = program->shardings().Intern(*rewritten);
      } else {
        status = locate(id, rewritten.status());
      }
    }
    id = it->second;
  });
  return status;
}

}  // namespace

absl::Status MergeMeshes(HloProgram* program, const LocateError& locate) {
  MeshMerge merge(program->meshes(), InlinedMeshes(program));
  TESSERA_RETURN_IF_ERROR(RewriteAll(program, merge, locate));
  TESSERA_RETURN_IF_ERROR(RewriteManualAxes(program, merge));
  program->meshes() = merge.TakeMeshes();
  return absl::OkStatus();
}

}  // namespace tessera::sharding::passes
