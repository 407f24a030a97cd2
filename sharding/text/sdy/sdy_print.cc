#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/sharding/text/quote.h"

namespace tessera::sharding {
namespace {

// Elements by `print`, with commas between.
template <typename Range, typename Print>
std::string Join(const Range& range, Print print) {
  return absl::StrJoin(range, ", ",
                       [&print](std::string* out, const auto& e) { *out += print(e); });
}

std::string AxesToString(const std::vector<AxisText>& axes) {
  return Join(axes, [](const AxisText& axis) { return ToString(axis); });
}

absl::string_view ReductionPrefix(Reduction reduction) {
  static constexpr absl::string_view kPrefixes[] = {"", "max", "min"};
  return kPrefixes[static_cast<size_t>(reduction)];
}

// `"a", "b", ?` in braces and the priority after, from the printed axes.
std::string DimensionToString(const std::string& axes, bool is_closed, int64_t priority) {
  std::string out = absl::StrCat("{", axes);
  if (!is_closed) absl::StrAppend(&out, axes.empty() ? "?" : ", ?");
  out += '}';
  if (priority != kNoPriority) absl::StrAppend(&out, "p", priority);
  return out;
}

std::string Frame(const std::string& mesh, const std::string& dims, const std::string& replicated,
                  const std::string& unreduced, Reduction reduction) {
  std::string out = absl::StrCat("<", mesh, ", ", dims);
  if (!replicated.empty()) absl::StrAppend(&out, ", replicated={", replicated, "}");
  if (!unreduced.empty()) {
    absl::StrAppend(&out, ", unreduced=", ReductionPrefix(reduction), "{", unreduced, "}");
  }
  return out + ">";
}

std::string MeshReference(const TensorSharding& sharding, const MeshTable& meshes) {
  const MeshId id = sharding.mesh_id();
  if (id == kNoMesh) return "@?";
  if (meshes.is_inlined(id)) return absl::StrCat("mesh", PrintMesh(meshes.mesh(id)));
  return absl::StrCat("@", QuoteSymbol(meshes.name(id)));
}

}  // namespace

std::string ToString(const AxisText& axis) {
  if (!axis.is_sub) return QuoteName(axis.name);
  return absl::StrCat(QuoteName(axis.name), ":(", axis.pre_size, ")", axis.size);
}

std::string ToString(const DimensionText& dimension) {
  return DimensionToString(AxesToString(dimension.axes), dimension.is_closed, dimension.priority);
}

std::string ToString(const ShardingText& sharding) {
  const std::string mesh = sharding.inlined_mesh
                               ? absl::StrCat("mesh", PrintMesh(*sharding.inlined_mesh))
                               : absl::StrCat("@", QuoteSymbol(sharding.mesh_name));
  const std::string dims =
      Join(sharding.dims, [](const DimensionText& dim) { return ToString(dim); });
  return Frame(mesh, absl::StrCat("[", dims, "]"), AxesToString(sharding.replicated),
               AxesToString(sharding.unreduced), sharding.reduction);
}

std::string PrintMesh(const Mesh& mesh) {
  const std::string axes = Join(mesh.axes(), [](const MeshAxis& axis) {
    return absl::StrCat(QuoteName(axis.name), "=", axis.size);
  });
  if (mesh.device_ids().empty()) return absl::StrCat("<[", axes, "]>");
  return absl::StrCat("<[", axes, "], device_ids=[", absl::StrJoin(mesh.device_ids(), ", "), "]>");
}

std::string PrintAxes(absl::Span<const AxisRef> axes, const Mesh& mesh) {
  return Join(axes, [&mesh](AxisRef axis) { return AxisRefToString(axis, mesh); });
}

std::string PrintDims(const TensorSharding& sharding, const Mesh& mesh) {
  const std::string dims = Join(sharding.dims(), [&mesh](const DimensionSharding& dim) {
    return DimensionToString(PrintAxes(dim.axes, mesh), dim.is_closed, dim.priority);
  });
  return absl::StrCat("[", dims, "]");
}

std::string PrintSharding(const TensorSharding& sharding, const MeshTable& meshes) {
  const Mesh none;
  const Mesh& mesh = sharding.mesh_id() == kNoMesh ? none : meshes.mesh(sharding.mesh_id());
  return Frame(MeshReference(sharding, meshes), PrintDims(sharding, mesh),
               PrintAxes(sharding.replicated_axes(), mesh),
               PrintAxes(sharding.unreduced_axes(), mesh), sharding.reduction());
}

}  // namespace tessera::sharding
