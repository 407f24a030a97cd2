// Two steps. Lift: every mesh gets a symbol, equal meshes the same one. De-duplicate: among the
// meshes with the same devices in the same order one is the main mesh, and the others are laid over
// it.
//
// A mesh that cannot be laid over (mesh_overlay.cc) stays. Costs: linear in the axes; a sharding is
// rewritten in time linear in its axes and their pieces. Tested by mesh_merge_test.cc, where both
// shardings must give every device the same tile.

#include "tessera/sharding/mesh_merge.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/mesh/mesh_overlay.h"
#include "tessera/sharding/mesh/mesh_symbols.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {
namespace {

using DeviceSet = std::pair<int64_t, std::vector<int64_t>>;

DeviceSet DevicesOf(const Mesh& mesh) {
  const int64_t count = mesh.num_axes() == 0 ? -1 : mesh.num_devices();
  return {count, std::vector<int64_t>(mesh.device_ids().begin(), mesh.device_ids().end())};
}

int CountAxesAboveOne(const Mesh& mesh) {
  return static_cast<int>(std::count_if(mesh.axes().begin(), mesh.axes().end(),
                                        [](const MeshAxis& axis) { return axis.size > 1; }));
}

// A mesh with made-up names (`_axis_0`) is worth less than any with real ones.
std::pair<bool, int> Worth(const Mesh& mesh) {
  const bool made_up =
      mesh.num_axes() > 0 && absl::string_view(mesh.axis(0).name).substr(0, 1) == "_";
  return {!made_up, CountAxesAboveOne(mesh)};
}

// Index of the main mesh of each set of devices.
std::map<DeviceSet, size_t> ChooseMains(const std::vector<NamedMesh>& meshes) {
  std::map<DeviceSet, size_t> mains;
  for (size_t i = 0; i < meshes.size(); ++i) {
    const auto [found, is_new] = mains.emplace(DevicesOf(*meshes[i].mesh), i);
    if (!is_new && Worth(*meshes[i].mesh) > Worth(*meshes[found->second].mesh)) found->second = i;
  }
  return mains;
}

}  // namespace

MeshMerge::MeshMerge(const MeshTable& before, absl::Span<const MeshId> inlined) {
  std::vector<size_t> symbol_of;
  const std::vector<NamedMesh> meshes = LiftMeshes(before, inlined, symbol_of);
  const std::map<DeviceSet, size_t> mains = ChooseMains(meshes);

  std::vector<Move> symbol_moves(meshes.size());
  for (size_t i = 0; i < meshes.size(); ++i) {
    const size_t main = mains.at(DevicesOf(*meshes[i].mesh));
    std::optional<std::vector<AxisList>> pieces;
    if (main != i) pieces = LayMeshOver(*meshes[i].mesh, *meshes[main].mesh);
    if (pieces) {
      symbol_moves[i].is_mapped = true;
      symbol_moves[i].pieces = *std::move(pieces);
    } else {
      symbol_moves[i].to = after_.Add(meshes[i].name, *meshes[i].mesh).value_or(kNoMesh);
    }
  }
  for (size_t i = 0; i < meshes.size(); ++i) {
    if (!symbol_moves[i].is_mapped) continue;
    symbol_moves[i].to = symbol_moves[mains.at(DevicesOf(*meshes[i].mesh))].to;
  }
  for (size_t symbol : symbol_of) moves_.push_back(symbol_moves[symbol]);
}

absl::StatusOr<AxisList> MeshMerge::RewriteAxes(const Move& move,
                                                absl::Span<const AxisRef> axes) const {
  const Mesh& mesh = after_.mesh(move.to);
  AxisList out;
  for (AxisRef axis : axes) {
    const AxisList& pieces = move.pieces[static_cast<size_t>(axis.axis())];
    const int64_t size = axis.is_full() ? ShardedSize(pieces, mesh) : axis.sub_size();
    TESSERA_RETURN_IF_ERROR(AppendPartOfAxis(pieces, axis.pre_size(), size, mesh, out));
  }
  return out;
}

absl::StatusOr<TensorSharding> MeshMerge::Rewrite(const TensorSharding& sharding) const {
  TensorSharding out = sharding;
  if (sharding.mesh_id() == kNoMesh) return out;
  const Move& move = moves_[sharding.mesh_id()];
  out.set_mesh_id(move.to);
  if (!move.is_mapped) return out;
  for (DimensionSharding& dim : out.mutable_dims()) {
    TESSERA_ASSIGN_OR_RETURN(dim.axes, RewriteAxes(move, dim.axes));
  }
  TESSERA_ASSIGN_OR_RETURN(out.mutable_replicated_axes(),
                           RewriteAxes(move, sharding.replicated_axes()));
  TESSERA_ASSIGN_OR_RETURN(out.mutable_unreduced_axes(),
                           RewriteAxes(move, sharding.unreduced_axes()));
  out.set_reduction(Reduction::kSum);
  return out;
}

absl::StatusOr<std::vector<int>> MeshMerge::RewriteManualAxes(MeshId id,
                                                              absl::Span<const int> axes) const {
  const Move& move = moves_[id];
  std::vector<int> out(axes.begin(), axes.end());
  if (!move.is_mapped) return out;
  out.clear();
  for (int axis : axes) {
    for (AxisRef piece : move.pieces[static_cast<size_t>(axis)]) {
      if (piece.is_sub()) {
        return absl::InvalidArgumentError(
            "a manual axis must be a whole axis of the mesh that its own mesh is merged with");
      }
      out.push_back(piece.axis());
    }
  }
  return out;
}

}  // namespace tessera::sharding
