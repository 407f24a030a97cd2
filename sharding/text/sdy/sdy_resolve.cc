// From names to indices and back. A sharding that has indices already is turned back into names for
// its verification, so that there is one set of checks, sdy_check.cc.
//
// Tested by sdy_resolve_test.cc.

#include "tessera/sharding/sdy_resolve.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/text/quote.h"
#include "tessera/sharding/text/sdy/sdy_check.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {
namespace {

AxisList Resolve(const std::vector<AxisText>& axes, const Mesh& mesh) {
  AxisList out;
  for (const AxisText& axis : axes) {
    const int index = *mesh.FindAxis(axis.name);
    out.push_back(axis.is_sub ? AxisRef::Sub(index, axis.pre_size, axis.size)
                              : AxisRef::Full(index));
  }
  return out;
}

std::vector<AxisText> ToNames(absl::Span<const AxisRef> axes, const Mesh& mesh) {
  std::vector<AxisText> out;
  for (AxisRef ref : axes) {
    AxisText axis{mesh.axis(ref.axis()).name, ref.is_sub()};
    axis.pre_size = ref.pre_size();
    if (ref.is_sub()) axis.size = ref.sub_size();
    out.push_back(std::move(axis));
  }
  return out;
}

// Mesh of the text; null when there is no such symbol.
const Mesh* FindMesh(const ShardingText& text, const MeshTable& meshes) {
  if (text.inlined_mesh) return &*text.inlined_mesh;
  const std::optional<MeshId> id = meshes.Find(text.mesh_name);
  return id ? &meshes.mesh(*id) : nullptr;
}

}  // namespace

absl::StatusOr<TensorSharding> ResolveSharding(const ShardingText& text, MeshTable& meshes,
                                               const ValueType* type) {
  const Mesh* mesh = FindMesh(text, meshes);
  if (mesh == nullptr) {
    return text::ErrorAt(text.offset, absl::StrCat("unknown mesh @", QuoteSymbol(text.mesh_name)));
  }
  TESSERA_RETURN_IF_ERROR(CheckShardingText(text, *mesh, type));
  TensorSharding out(text.inlined_mesh ? meshes.AddInlined(*text.inlined_mesh)
                                       : *meshes.Find(text.mesh_name));
  for (const DimensionText& dim : text.dims) {
    out.mutable_dims().push_back({Resolve(dim.axes, *mesh), dim.is_closed, dim.priority});
  }
  out.mutable_replicated_axes() = Resolve(text.replicated, *mesh);
  out.mutable_unreduced_axes() = Resolve(text.unreduced, *mesh);
  out.set_reduction(text.reduction);
  return out;
}

absl::Status VerifySharding(const TensorSharding& sharding, const MeshTable& meshes,
                            const ValueType* type) {
  if (sharding.mesh_id() == kNoMesh) return absl::OkStatus();
  const Mesh& mesh = meshes.mesh(sharding.mesh_id());
  ShardingText text;
  for (const DimensionSharding& dim : sharding.dims()) {
    text.dims.push_back({ToNames(dim.axes, mesh), dim.is_closed, dim.priority});
  }
  text.replicated = ToNames(sharding.replicated_axes(), mesh);
  text.unreduced = ToNames(sharding.unreduced_axes(), mesh);
  return CheckShardingText(text, mesh, type);
}

}  // namespace tessera::sharding
