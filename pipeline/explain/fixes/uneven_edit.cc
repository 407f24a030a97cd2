#include "tessera/pipeline/explain/fixes/uneven_edit.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "tessera/pipeline/explain/fixes/rival.h"
#include "tessera/pipeline/explain/refusals/verdict_text.h"
#include "tessera/sharding/axis_lists.h"

namespace tessera::pipeline {
namespace {

using sharding::Mesh;
using sharding::TensorSharding;
using sharding::explain::AskedAxis;
using sharding::explain::SlotId;
using Where = sharding::passes::AnnotationEdit::Where;

absl::Span<const int64_t> DimensionsOf(const sharding::explain::EventLog& log, SlotId slot) {
  const auto& numbered = log.numbered();
  const auto value =
      log.IsOutput(slot) ? numbered.outputs()[static_cast<size_t>(log.OutputOf(slot))].value : slot;
  return numbered.values()[static_cast<size_t>(value)]->shape().dims();
}

// "; dim 1 (4096), dim 3 (128) can take 'model'"; `uneven` cannot.
std::string OtherPlaces(const TensorSharding& sharding, absl::Span<const int64_t> sizes, int uneven,
                        const Mesh& mesh, const AskedAxis& asked) {
  const std::optional<sharding::AxisRef> axis = AxisAsked(asked, mesh);
  if (!axis.has_value()) return "";
  std::vector<std::string> places;
  for (int d = 0; d < sharding.rank(); ++d) {
    const int64_t size = sizes[static_cast<size_t>(d)];
    const int64_t parts = ShardedSize(sharding.dim(d).axes, mesh) * axis->size(mesh);
    if (d != uneven && size > 0 && size % parts == 0) {
      places.push_back(absl::StrCat("dim ", d, " (", size, ")"));
    }
  }
  if (places.empty()) return "";
  return absl::StrCat("; ", absl::StrJoin(places, ", "), " can take ", AskedAxisText(asked));
}

}  // namespace

std::string UnevenText(const Explained& explained, SlotId slot,
                       const sharding::passes::AnnotationEdit& edit, const AskedAxis& asked) {
  if (edit.where != Where::kParameter && edit.where != Where::kResult) return "";
  const Mesh& mesh = explained.sharded->program->meshes().mesh(edit.sharding.mesh_id());
  const absl::Span<const int64_t> sizes = DimensionsOf(*explained.log, slot);
  for (int d = 0; d < edit.sharding.rank(); ++d) {
    const int64_t size = sizes[static_cast<size_t>(d)];
    const int64_t parts = ShardedSize(edit.sharding.dim(d).axes, mesh);
    if (size < 0 || size % parts == 0) continue;
    return absl::StrCat("dim ", d, " has ", size, " elements, which ", parts,
                        " devices do not divide",
                        OtherPlaces(edit.sharding, sizes, d, mesh, asked));
  }
  return "";
}

}  // namespace tessera::pipeline
