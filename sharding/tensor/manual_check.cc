#include "tessera/sharding/manual_check.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/text/quote.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {
namespace {

bool Contains(absl::Span<const std::string> names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Checker {
 public:
  Checker(absl::Span<const std::string> manual_axes, const MeshTable& meshes)
      : manual_axes_(manual_axes), meshes_(meshes) {}

  absl::Status CheckSide(const ManualBoundary& side, absl::string_view what) const;
  absl::Status CheckMesh(const ManualBoundary& operands, const ManualBoundary& results,
                         absl::Span<const std::string> outer) const;

 private:
  absl::Status CheckValue(const TensorSharding& sharding, const ValueType& global,
                          const ValueType& local) const;
  absl::Status CheckDimension(const DimensionSharding& dim, const Mesh& mesh, int64_t global,
                              int64_t local) const;

  absl::Span<const std::string> manual_axes_;
  const MeshTable& meshes_;
};

// Manual axes come first; the local size is the global one divided by them.
absl::Status Checker::CheckDimension(const DimensionSharding& dim, const Mesh& mesh, int64_t global,
                                     int64_t local) const {
  int64_t parts = 1;
  bool seen_free = false;
  for (AxisRef axis : dim.axes) {
    if (!Contains(manual_axes_, mesh.axis(axis.axis()).name)) {
      seen_free = true;
    } else if (seen_free) {
      return absl::InvalidArgumentError(absl::StrCat("manual axis ", AxisRefToString(axis, mesh),
                                                     " stands after an axis that is not manual"));
    } else {
      parts *= axis.size(mesh);
    }
  }
  if (global < 0) return absl::OkStatus();
  if (global % parts != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("size ", global, " does not divide by the manual axes, ", parts));
  }
  if (global / parts == local) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the body has size ", local, ", expected ", global / parts,
                   "; for a mesh of other sizes lower the program again"));
}

absl::Status Checker::CheckValue(const TensorSharding& sharding, const ValueType& global,
                                 const ValueType& local) const {
  TESSERA_RETURN_IF_ERROR(VerifySharding(sharding, meshes_, &global));
  if (global.kind != ValueType::Kind::kArray || sharding.mesh_id() == kNoMesh) {
    return absl::OkStatus();
  }
  if (local.kind != global.kind || local.dimensions.size() != global.dimensions.size()) {
    return absl::InvalidArgumentError("the body has a value of another rank");
  }
  const Mesh& mesh = meshes_.mesh(sharding.mesh_id());
  for (int d = 0; d < sharding.rank(); ++d) {
    const size_t i = static_cast<size_t>(d);
    const absl::Status status =
        CheckDimension(sharding.dim(d), mesh, global.dimensions[i], local.dimensions[i]);
    if (status.ok()) continue;
    return absl::InvalidArgumentError(absl::StrCat("dimension ", d, ": ", status.message()));
  }
  return absl::OkStatus();
}

absl::Status Checker::CheckSide(const ManualBoundary& side, absl::string_view what) const {
  const size_t count = side.global_types.size();
  if (side.shardings.size() != count || side.local_types.size() != count) {
    return absl::InvalidArgumentError(
        absl::StrCat("there are ", count, " ", what, "s, but ", side.shardings.size(),
                     " shardings for them and ", side.local_types.size(), " values in the body"));
  }
  for (size_t i = 0; i < count; ++i) {
    const absl::Status status =
        CheckValue(side.shardings[i], side.global_types[i], side.local_types[i]);
    if (status.ok()) continue;
    return absl::InvalidArgumentError(absl::StrCat(what, " ", i, ": ", status.message()));
  }
  return absl::OkStatus();
}

absl::Status Checker::CheckMesh(const ManualBoundary& operands, const ManualBoundary& results,
                                absl::Span<const std::string> outer) const {
  const Mesh* common = nullptr;
  for (const ManualBoundary* side : {&operands, &results}) {
    for (const TensorSharding& sharding : side->shardings) {
      if (sharding.mesh_id() == kNoMesh) continue;
      const Mesh& mesh = meshes_.mesh(sharding.mesh_id());
      if (mesh.is_empty() || (common != nullptr && *common == mesh)) continue;
      if (common != nullptr) {
        return absl::InvalidArgumentError(
            "the shardings of a manual computation are on different meshes");
      }
      common = &mesh;
    }
  }
  for (const std::string& axis : manual_axes_) {
    if (common == nullptr || !common->FindAxis(axis)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the mesh has no axis ", QuoteName(axis), " to be manual on"));
    }
    if (Contains(outer, axis)) {
      return absl::InvalidArgumentError(
          absl::StrCat("axis ", QuoteName(axis), " is manual outside already"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status VerifyManualComputation(const ManualBoundary& operands, const ManualBoundary& results,
                                     absl::Span<const std::string> manual_axes,
                                     absl::Span<const std::string> outer_manual_axes,
                                     const MeshTable& meshes) {
  const Checker checker(manual_axes, meshes);
  TESSERA_RETURN_IF_ERROR(checker.CheckSide(operands, "operand"));
  TESSERA_RETURN_IF_ERROR(checker.CheckSide(results, "result"));
  const bool has_values = !operands.shardings.empty() || !results.shardings.empty();
  if (!has_values || manual_axes.empty()) return absl::OkStatus();
  return checker.CheckMesh(operands, results, outer_manual_axes);
}

}  // namespace tessera::sharding
