// The text form of meshes and tensor shardings that travels in `xla.sdy.*` attributes.
//
//   #sdy.mesh<["data"=4, "model"=2]>
//   #sdy.sharding<@mesh, [{"data"}, {"model", ?}p1], replicated={"x"}, unreduced={"y":(1)2}>
//   #sdy.sharding_per_value<[<@mesh, [{"data"}]>, <@mesh, []>]>
//   #sdy<manual_axes{"data"}>
//
// The text names meshes and axes, so it is first read into a ShardingText, which holds names; a
// TensorSharding, which holds indices, is made from it with the module's meshes:
//
//   absl::StatusOr<TensorSharding> s = ParseSharding(text, meshes);
//   PrintSharding(*s, meshes);          // the canonical text
//
// The attribute's prefix (`#sdy.mesh` ..) may be missing: `<["a"=2]>` is a mesh as well. Errors are
// InvalidArgument with an offset in the given text (text::ErrorOffset).

#ifndef TESSERA_SHARDING_SDY_TEXT_H_
#define TESSERA_SHARDING_SDY_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"
#include "tessera/text/cursor.h"

namespace tessera::sharding {

// --- shardings by name ---------------------------------------------------------------------------

struct AxisText {
  std::string name;
  bool is_sub = false;
  int64_t pre_size = 1;  // of a sub-axis; anything that fits, nothing checked
  int64_t size = 0;
  size_t offset = 0;  // of the axis in the text, for messages

  friend bool operator==(const AxisText& a, const AxisText& b) {
    return a.name == b.name && a.is_sub == b.is_sub && a.pre_size == b.pre_size && a.size == b.size;
  }
};

struct DimensionText {
  std::vector<AxisText> axes;
  bool is_closed = true;
  int64_t priority = kNoPriority;
  size_t offset = 0;
};

struct ShardingText {
  std::string mesh_name;  // without `@`; unused with an inlined mesh
  std::optional<Mesh> inlined_mesh;
  std::vector<DimensionText> dims;
  std::vector<AxisText> replicated;
  std::vector<AxisText> unreduced;
  Reduction reduction = Reduction::kSum;
  size_t offset = 0;
};

absl::StatusOr<ShardingText> ParseShardingText(absl::string_view text);
absl::StatusOr<std::vector<ShardingText>> ParseShardingPerValueText(absl::string_view text);
std::string ToString(const AxisText& axis);
std::string ToString(const DimensionText& dimension);
// Without the prefix `#sdy.sharding`.
std::string ToString(const ShardingText& sharding);

// --- meshes, axes --------------------------------------------------------------------------------

absl::StatusOr<Mesh> ParseMesh(absl::string_view text);
// `<["a"=2], device_ids=[1, 0]>`, without the prefix `#sdy.mesh`.
std::string PrintMesh(const Mesh& mesh);

// `#sdy<manual_axes{"a", "b"}>`
absl::StatusOr<std::vector<std::string>> ParseManualAxes(absl::string_view text);

// --- shardings by index --------------------------------------------------------------------------

// Parses and resolves (sdy_resolve.h). An inlined mesh is added to `meshes`.
absl::StatusOr<TensorSharding> ParseSharding(absl::string_view text, MeshTable& meshes);
absl::StatusOr<std::vector<TensorSharding>> ParseShardingPerValue(absl::string_view text,
                                                                  MeshTable& meshes);

// `<@mesh, [{"data"}, {?}]>`, without the prefix `#sdy.sharding`. A sharding without mesh prints
// `@?` for it.
std::string PrintSharding(const TensorSharding& sharding, const MeshTable& meshes);
// The dimensions alone: `[{"data"}, {"model", ?}]`.
std::string PrintDims(const TensorSharding& sharding, const Mesh& mesh);
std::string PrintAxes(absl::Span<const AxisRef> axes, const Mesh& mesh);

// Consumes `#sdy<KIND` (true: a `>` follows the body) or `#sdy.KIND`, where one of them stands.
absl::StatusOr<bool> EnterAttribute(text::Cursor& in, absl::string_view kind);

// --- pieces for other texts ----------------------------------------------------------------------

// A quoted name, unescaped, at the cursor.
absl::StatusOr<std::string> ParseQuotedName(text::Cursor& in);
// `"a"` or `"a":(1)2`.
absl::StatusOr<AxisText> ParseAxisText(text::Cursor& in);
// `{"a", ?}p1`.
absl::StatusOr<DimensionText> ParseDimensionText(text::Cursor& in);
// An attribute within another one: its body alone, `#sdy<KIND BODY>`, or `#sdy.KIND BODY` if the
// body begins with `<`.
template <typename T>
absl::StatusOr<T> ParseNested(text::Cursor& in, absl::string_view kind,
                              absl::StatusOr<T> (*parse_body)(text::Cursor&)) {
  absl::StatusOr<bool> wrapped = EnterAttribute(in, kind);
  if (!wrapped.ok()) return wrapped.status();
  absl::StatusOr<T> value = parse_body(in);
  if (value.ok() && *wrapped && !in.Consume('>')) {
    return in.Error("expected '>' at the end of the attribute");
  }
  return value;
}
// `<[..], ..>` and `<@mesh, [..], ..>` at the cursor.
absl::StatusOr<Mesh> ParseMeshBody(text::Cursor& in);
absl::StatusOr<ShardingText> ParseShardingBody(text::Cursor& in);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_SDY_TEXT_H_
