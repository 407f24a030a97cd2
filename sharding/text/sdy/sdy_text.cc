// A recursive-descent reader of the sdy attribute texts. One function per rule of the grammar:
//
//   mesh      = "<" "[" { name "=" int } "]" [ "," "device_ids" "=" "[" int { "," int } "]" ] ">"
//   sharding  = "<" ( "@" symbol | "mesh" mesh ) "," "[" { dim } "]" { "," named } ">"
//   dim       = "{" { axis } [ "?" ] "}" [ "p" digits ]
//   axis      = name [ ":" "(" int ")" int ]
//   named     = "replicated" "=" axes | "unreduced" [ "=" ] [ "sum" | "max" | "min" ] axes
//
// where { x } is a list with commas. A sharding in a list, a dim and an axis of a named list may
// stand as attributes of their own: #sdy<axis_ref"x">. The printers are in sdy_print.cc, the
// meaning of the names is found in sdy_resolve.cc, the smaller pieces are in sdy_pieces.cc. Tested
// by sdy_text_test.cc; fuzzed by sharding_text_fuzz.cc.

#include "tessera/sharding/sdy_text.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/sdy_resolve.h"
#include "tessera/sharding/text/sdy/sdy_lexer.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {
namespace {

using text::Cursor;

absl::StatusOr<std::vector<AxisText>> ParseAxisSet(Cursor& in) {
  TESSERA_RETURN_IF_ERROR(ExpectChar(in, '{', "before the list of axes"));
  std::vector<AxisText> axes;
  do {
    TESSERA_ASSIGN_OR_RETURN(AxisText axis, ParseNested<AxisText>(in, "axis_ref", ParseAxisText));
    axes.push_back(std::move(axis));
  } while (in.Consume(','));
  TESSERA_RETURN_IF_ERROR(ExpectChar(in, '}', "or ',' after an axis"));
  return axes;
}

absl::Status ParseDimensions(Cursor& in, ShardingText& out) {
  TESSERA_RETURN_IF_ERROR(ExpectChar(in, '[', "before the dimensions"));
  if (in.Consume(']')) return absl::OkStatus();
  do {
    TESSERA_ASSIGN_OR_RETURN(DimensionText dim, ParseNested<DimensionText>(in, "dimension_sharding",
                                                                           ParseDimensionText));
    out.dims.push_back(std::move(dim));
  } while (in.Consume(','));
  return ExpectChar(in, ']', "or ',' after a dimension");
}

absl::StatusOr<std::string> ParseSymbol(Cursor& in) {
  if (in.Peek() == '"') return ParseQuotedName(in);
  const absl::string_view word = ConsumeWord(in);
  if (word.empty()) return in.Error("expected the name of a mesh after '@'");
  return std::string(word);
}

absl::Status ParseMeshOrRef(Cursor& in, ShardingText& out) {
  if (in.Consume('@')) {
    TESSERA_ASSIGN_OR_RETURN(out.mesh_name, ParseSymbol(in));
    return absl::OkStatus();
  }
  if (!ConsumeWord(in, "mesh")) return in.Error("expected '@' and a mesh name, or 'mesh<..>'");
  TESSERA_ASSIGN_OR_RETURN(out.inlined_mesh, ParseMeshBody(in));
  return absl::OkStatus();
}

absl::Status ParseUnreduced(Cursor& in, ShardingText& out) {
  if (in.Consume('=')) {
    const size_t at = in.NextOffset();
    const absl::string_view word = ConsumeWord(in);
    if (word == "max") {
      out.reduction = Reduction::kMax;
    } else if (word == "min") {
      out.reduction = Reduction::kMin;
    } else if (!word.empty() && word != "sum") {
      return in.ErrorAt(at, absl::StrCat("unknown reduction '", word, "': sum, max or min"));
    }
  }
  TESSERA_ASSIGN_OR_RETURN(out.unreduced, ParseAxisSet(in));
  return absl::OkStatus();
}

absl::Status ParseNamedAxes(Cursor& in, ShardingText& out) {
  const size_t at = in.NextOffset();
  if (out.replicated.empty() && ConsumeWord(in, "replicated")) {
    TESSERA_RETURN_IF_ERROR(ExpectChar(in, '=', "after 'replicated'"));
    TESSERA_ASSIGN_OR_RETURN(out.replicated, ParseAxisSet(in));
    return absl::OkStatus();
  }
  if (out.unreduced.empty() && ConsumeWord(in, "unreduced")) return ParseUnreduced(in, out);
  return in.ErrorAt(at, "expected 'replicated=' or 'unreduced=', each at most once");
}

// Reads all of `text`: `#sdy.KIND<..>`, `#sdy<KIND<..>>` or the bare body, by `parse_body`.
template <typename T>
absl::StatusOr<T> ParseAttribute(absl::string_view text, absl::string_view kind,
                                 absl::StatusOr<T> (*parse_body)(Cursor&)) {
  Cursor in(text);
  absl::StatusOr<T> value = ParseNested<T>(in, kind, parse_body);
  if (!value.ok()) return value;
  if (!in.AtEnd()) return in.Error("unexpected text after the attribute");
  return value;
}

absl::StatusOr<std::vector<ShardingText>> ParsePerValueBody(Cursor& in) {
  TESSERA_RETURN_IF_ERROR(ExpectChar(in, '<', "before the list of shardings"));
  TESSERA_RETURN_IF_ERROR(ExpectChar(in, '[', "before the list of shardings"));
  std::vector<ShardingText> shardings;
  if (!in.Consume(']')) {
    do {
      TESSERA_ASSIGN_OR_RETURN(ShardingText s,
                               ParseNested<ShardingText>(in, "sharding", ParseShardingBody));
      shardings.push_back(std::move(s));
    } while (in.Consume(','));
    TESSERA_RETURN_IF_ERROR(ExpectChar(in, ']', "or ',' after a sharding"));
  }
  TESSERA_RETURN_IF_ERROR(ExpectChar(in, '>', "after the list of shardings"));
  return shardings;
}

absl::StatusOr<std::vector<std::string>> ParseManualAxesBody(Cursor& in) {
  TESSERA_RETURN_IF_ERROR(ExpectChar(in, '{', "before the manual axes"));
  std::vector<std::string> names;
  if (in.Consume('}')) return names;
  do {
    TESSERA_ASSIGN_OR_RETURN(std::string name, ParseQuotedName(in));
    names.push_back(std::move(name));
  } while (in.Consume(','));
  TESSERA_RETURN_IF_ERROR(ExpectChar(in, '}', "or ',' after an axis"));
  return names;
}

}  // namespace

absl::StatusOr<bool> EnterAttribute(Cursor& in, absl::string_view kind) {
  const bool wrapped = in.Consume("#sdy<");
  if (!wrapped && !in.Consume("#sdy.")) return false;
  const bool is_kind = ConsumeWord(in, kind);
  if (!is_kind || (!wrapped && in.rest().substr(0, 1) != "<")) {
    return in.Error(absl::StrCat("expected the attribute #sdy.", kind, "<..>"));
  }
  return wrapped;
}

absl::StatusOr<ShardingText> ParseShardingBody(Cursor& in) {
  ShardingText out;
  out.offset = in.NextOffset();
  TESSERA_RETURN_IF_ERROR(ExpectChar(in, '<', "before a sharding"));
  TESSERA_RETURN_IF_ERROR(ParseMeshOrRef(in, out));
  TESSERA_RETURN_IF_ERROR(ExpectChar(in, ',', "after the mesh"));
  TESSERA_RETURN_IF_ERROR(ParseDimensions(in, out));
  while (in.Consume(',')) TESSERA_RETURN_IF_ERROR(ParseNamedAxes(in, out));
  TESSERA_RETURN_IF_ERROR(ExpectChar(in, '>', "at the end of a sharding"));
  return out;
}

absl::StatusOr<ShardingText> ParseShardingText(absl::string_view text) {
  return ParseAttribute<ShardingText>(text, "sharding", ParseShardingBody);
}

absl::StatusOr<std::vector<ShardingText>> ParseShardingPerValueText(absl::string_view text) {
  return ParseAttribute<std::vector<ShardingText>>(text, "sharding_per_value", ParsePerValueBody);
}

absl::StatusOr<Mesh> ParseMesh(absl::string_view text) {
  return ParseAttribute<Mesh>(text, "mesh", ParseMeshBody);
}

absl::StatusOr<std::vector<std::string>> ParseManualAxes(absl::string_view text) {
  return ParseAttribute<std::vector<std::string>>(text, "manual_axes", ParseManualAxesBody);
}

absl::StatusOr<TensorSharding> ParseSharding(absl::string_view text, MeshTable& meshes) {
  TESSERA_ASSIGN_OR_RETURN(const ShardingText parsed, ParseShardingText(text));
  return ResolveSharding(parsed, meshes);
}

absl::StatusOr<std::vector<TensorSharding>> ParseShardingPerValue(absl::string_view text,
                                                                  MeshTable& meshes) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<ShardingText> parsed, ParseShardingPerValueText(text));
  std::vector<TensorSharding> shardings;
  for (const ShardingText& one : parsed) {
    TESSERA_ASSIGN_OR_RETURN(TensorSharding s, ResolveSharding(one, meshes));
    shardings.push_back(std::move(s));
  }
  return shardings;
}

}  // namespace tessera::sharding
