// Two steps over all shardings of a module: the common mesh, then every sharding on it.
//
// The mesh. A grid of devices is a mesh of its own (AnalyzeTiling). The common mesh is the common
// refinement of all of them, which does not depend on their order: [2,4] and [4,2] give [2,2,2].
//
// On the mesh. A grid's own axes are runs of the mesh's axes, so both lists are walked from the
// major end. Each step takes what the two remainders have in common, a whole axis or a sub-axis.
//
// One oddity is the reference's own and copied here. The type of the axes of a subgroup dimension
// is looked up by the place of the axis within that dimension, not by the dimension. The place is
// counted from the minor end.
//
// Tested by hlo_import_test.cc.

#include "tessera/sharding/hlo_import.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/sharding/mesh/common_factors.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {
namespace {

absl::Status DoesNotFit(const HloSharding& sharding) {
  return absl::InvalidArgumentError(absl::StrCat(
      sharding.ToString(), " does not fit on one mesh with the other shardings of the module"));
}

absl::Status DoesNotFitOn(const Mesh& mesh, const HloSharding& sharding) {
  return absl::InvalidArgumentError(absl::StrCat(
      sharding.ToString(), " does not fit on a mesh of ",
      absl::StrJoin(
          mesh.axes(), " x ",
          [](std::string* out, const MeshAxis& axis) { absl::StrAppend(out, axis.size); }),
      " devices"));
}

absl::StatusOr<Mesh> MakeMesh(const Dims& sizes) {
  std::vector<MeshAxis> axes;
  for (size_t i = 0; i < sizes.size(); ++i) axes.push_back({absl::StrCat("_axis_", i), sizes[i]});
  return Mesh::Create(std::move(axes));
}

// For each axis of a grid its pieces of the mesh, major to minor; none if a cut crosses an axis.
std::optional<std::vector<AxisList>> Locate(const std::vector<int64_t>& sizes, const Mesh& mesh) {
  std::vector<AxisList> pieces;
  int axis = 0;
  int64_t pre = 1;
  for (int64_t rest : sizes) {
    AxisList of_axis;
    while (rest > 1) {
      if (axis == mesh.num_axes()) return std::nullopt;
      const int64_t full = mesh.axis_size(axis);
      const int64_t size = std::gcd(rest, full / pre);
      if (size == 1 && pre < full) return std::nullopt;
      if (size > 1) {
        of_axis.push_back(size == full ? AxisRef::Full(axis) : AxisRef::Sub(axis, pre, size));
      }
      rest /= size;
      pre *= size;
      if (pre == full) {
        ++axis;
        pre = 1;
      }
    }
    pieces.push_back(std::move(of_axis));
  }
  return pieces;
}

void Append(AxisList& list, const AxisList& more) {
  list.insert(list.end(), more.begin(), more.end());
}

bool IsPartlyReplicated(absl::Span<const SubgroupType> types) {
  return types.size() == 1 && types.front() == SubgroupType::kReplicated;
}

void SetOpen(TensorSharding& sharding, bool is_open) {
  for (DimensionSharding& dim : sharding.mutable_dims()) dim.is_closed = !is_open;
}

}  // namespace

absl::Status HloMeshFinder::Add(const HloSharding& sharding) {
  if (sharding.IsTuple()) {
    for (const HloSharding& element : sharding.elements()) TESSERA_RETURN_IF_ERROR(Add(element));
    return absl::OkStatus();
  }
  if (sharding.IsMaximal()) {
    devices_.insert(ToTiledSharding(sharding).device());
  } else if (sharding.IsNamed()) {
    if (!named_ && !sharding.named().mesh.is_empty()) named_ = sharding.named().mesh;
  } else if (sharding.IsTiled()) {
    TESSERA_ASSIGN_OR_RETURN(const TileAxes axes, AnalyzeTiling(sharding));
    sizes_ = CommonFactors(axes.sizes, sizes_ ? absl::Span<const int64_t>(*sizes_) : axes.sizes);
    if (!sizes_ || sizes_->empty()) return DoesNotFit(sharding);
  }
  return absl::OkStatus();
}

absl::StatusOr<HloImporter> HloMeshFinder::Build(const std::optional<Mesh>& given) const {
  Mesh mesh;
  if (given) {
    mesh = *given;
  } else if (named_) {
    mesh = *named_;
  } else if (sizes_) {
    TESSERA_ASSIGN_OR_RETURN(mesh, MakeMesh(*sizes_));
  }
  TESSERA_ASSIGN_OR_RETURN(HloImporter importer, HloImporter::OnMesh(std::move(mesh)));
  for (int64_t device : devices_) {
    if (device < 0) return absl::InvalidArgumentError(absl::StrCat("there is no device ", device));
    const std::string name = absl::StrCat("maximal_mesh_", device);
    TESSERA_RETURN_IF_ERROR(importer.meshes_.Add(name, Mesh::Maximal(device)).status());
  }
  return importer;
}

absl::StatusOr<HloImporter> HloImporter::OnMesh(Mesh mesh) {
  MeshTable meshes;
  TESSERA_RETURN_IF_ERROR(meshes.Add("mesh", std::move(mesh)).status());
  return HloImporter(std::move(meshes));
}

absl::StatusOr<TensorSharding> HloImporter::ImportTiled(const HloSharding& leaf,
                                                        bool is_open) const {
  const Mesh& mesh = meshes_.mesh(0);
  TESSERA_ASSIGN_OR_RETURN(const TileAxes axes, AnalyzeTiling(leaf));
  if (leaf.num_devices() != mesh.num_devices()) return DoesNotFitOn(mesh, leaf);
  const std::optional<std::vector<AxisList>> pieces = Locate(axes.sizes, mesh);
  if (!pieces) return DoesNotFitOn(mesh, leaf);
  const size_t rank = static_cast<size_t>(leaf.data_rank());
  const absl::Span<const SubgroupType> types = leaf.subgroups();
  TensorSharding out(0, leaf.data_rank(), !is_open);
  AxisList replicated, unreduced;
  for (size_t d = 0; d < axes.dims.size(); ++d) {
    const std::vector<int>& of_dim = axes.dims[d];
    for (size_t i = 0; i < of_dim.size(); ++i) {
      const AxisList& refs = (*pieces)[static_cast<size_t>(of_dim[i])];
      if (d < rank) {
        Append(out.dim(static_cast<int>(d)).axes, refs);
        continue;
      }
      if (IsPartlyReplicated(types)) continue;
      const SubgroupType type = types[std::min(of_dim.size() - 1 - i, types.size() - 1)];
      if (type == SubgroupType::kReplicated) Append(replicated, refs);
      if (type == SubgroupType::kUnreduced) Append(unreduced, refs);
    }
  }
  out.mutable_replicated_axes() = SortAndMerge(replicated, mesh);
  out.mutable_unreduced_axes() = SortAndMerge(unreduced, mesh);
  return out;
}

absl::StatusOr<TensorSharding> HloImporter::ImportNamed(const HloSharding& leaf, int rank,
                                                        bool is_open) const {
  if (!leaf.IsReplicated() && leaf.named().mesh != meshes_.mesh(0)) {
    return DoesNotFitOn(meshes_.mesh(0), leaf);
  }
  TensorSharding out(0, rank, /*is_closed=*/true);
  // Manual axes alone: `{mesh['x'=8], manual}` is one of arrays of any rank.
  if (!leaf.named().dims.empty()) out.mutable_dims() = leaf.named().dims;
  out.mutable_replicated_axes() = leaf.named().replicated;
  out.mutable_unreduced_axes() = leaf.named().unreduced;
  if (is_open) SetOpen(out, true);
  return out;
}

absl::StatusOr<TensorSharding> HloImporter::Import(const HloSharding& leaf, int rank,
                                                   bool is_open) {
  if (leaf.IsTuple()) return DoesNotFit(leaf);
  if (leaf.IsMaximal()) {
    const auto id = meshes_.Find(absl::StrCat("maximal_mesh_", ToTiledSharding(leaf).device()));
    if (!id) return DoesNotFit(leaf);
    return TensorSharding(*id);
  }
  const bool has_dims = leaf.IsTiled() || (leaf.IsNamed() && !leaf.named().dims.empty());
  if (!has_dims && (leaf.IsReplicated() || !leaf.IsNamed())) {
    return TensorSharding(0, rank, !is_open && leaf.kind() != HloSharding::Kind::kUnknown);
  }
  return leaf.IsNamed() ? ImportNamed(leaf, rank, is_open) : ImportTiled(leaf, is_open);
}

}  // namespace tessera::sharding
