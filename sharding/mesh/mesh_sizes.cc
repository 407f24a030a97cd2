#include "tessera/sharding/mesh_sizes.h"

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/sharding/text/quote.h"
#include "tessera/text/cursor.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {
namespace {

// In quotes, or all that stands in front of '='.
absl::StatusOr<std::string> ParseName(text::Cursor& in) {
  if (in.Peek() == '"') return ParseQuotedName(in);
  const absl::string_view name = in.rest().substr(0, in.rest().find_first_of("=,"));
  if (name.empty()) return in.Error("expected the name of an axis, as in data=4");
  in.set_offset(in.offset() + name.size());
  return std::string(absl::StripTrailingAsciiWhitespace(name));
}

// As ParseName() reads it; what is no plain word in quotes.
std::string SpellName(const std::string& name) {
  text::Cursor in(name);
  absl::string_view word;
  return in.ConsumeIdentifier(word) && word == name ? name : QuoteName(name);
}

}  // namespace

absl::StatusOr<Mesh> ParseMeshSizes(absl::string_view text) {
  text::Cursor in(text);
  std::vector<MeshAxis> axes;
  do {
    TESSERA_ASSIGN_OR_RETURN(std::string name, ParseName(in));
    int64_t size = 0;
    if (!in.Consume('=') || !in.ConsumeInt(size)) {
      return in.Error(absl::StrCat("expected '=' and the size of axis ", name, ", below 2^63"));
    }
    axes.push_back({std::move(name), size});
  } while (in.Consume(','));
  if (!in.AtEnd()) return in.Error("expected ',' and another axis");
  absl::StatusOr<Mesh> mesh = Mesh::Create(std::move(axes));
  if (!mesh.ok()) return in.ErrorAt(0, mesh.status().message());
  return mesh;
}

std::string PrintMeshSizes(absl::Span<const MeshAxis> axes) {
  return absl::StrJoin(axes, ",", [](std::string* out, const MeshAxis& axis) {
    absl::StrAppend(out, SpellName(axis.name), "=", axis.size);
  });
}

}  // namespace tessera::sharding
