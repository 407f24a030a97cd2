// A recursive-descent reader of the sdy attribute texts. One function per rule of the grammar:
//
//   mesh      = "<" "[" { name "=" int } "]" [ "," "device_ids" "=" "[" int { "," int } "]" ] ">"
//   sharding  = "<" ( "@" symbol | "mesh" mesh ) "," "[" { dim } "]" { "," named } ">"
//   dim       = "{" { axis } [ "?" ] "}" [ "p" digits ]
//   axis      = name [ ":" "(" int ")" int ]
//   named     = "replicated" "=" axes | "unreduced" [ "=" ] [ "sum" | "max" | "min" ] axes
//
// where { x } is a list with commas. The printers are in sdy_print.cc, the meaning of the names is
// found in sdy_resolve.cc. Tested by sdy_text_test.cc; fuzzed by sharding_text_fuzz.cc.

#include "tessera/sharding/sdy_text.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/sharding/quote.h"
#include "tessera/sharding/sdy_resolve.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {
namespace {

using text::Cursor;

// Offset of the next token.
size_t Here(Cursor& in) {
  in.SkipBlanks();
  return in.offset();
}

// The word [A-Za-z_][A-Za-z0-9_$.]* at the cursor; empty (and no move) if there is none.
absl::string_view ConsumeWord(Cursor& in) {
  const char first = in.Peek();
  if (!absl::ascii_isalpha(static_cast<unsigned char>(first)) && first != '_') return {};
  const absl::string_view rest = in.rest();
  size_t size = 1;
  while (size < rest.size() && (absl::ascii_isalnum(static_cast<unsigned char>(rest[size])) ||
                                rest[size] == '_' || rest[size] == '$' || rest[size] == '.')) {
    ++size;
  }
  in.set_offset(in.offset() + size);
  return rest.substr(0, size);
}

bool ConsumeWord(Cursor& in, absl::string_view word) {
  const size_t before = in.offset();
  if (ConsumeWord(in) == word) return true;
  in.set_offset(before);
  return false;
}

absl::Status Expect(Cursor& in, char c, absl::string_view where) {
  if (in.Consume(c)) return absl::OkStatus();
  return in.Error(absl::StrCat("expected '", absl::string_view(&c, 1), "' ", where));
}

absl::StatusOr<int64_t> ParseInt(Cursor& in, absl::string_view what) {
  int64_t value = 0;
  if (in.ConsumeInt(value)) return value;
  return in.Error(absl::StrCat("expected ", what, ", a number of at most 64 bits"));
}

absl::StatusOr<std::vector<int64_t>> ParseDeviceIds(Cursor& in) {
  TESSERA_RETURN_IF_ERROR(Expect(in, '=', "behind 'device_ids'"));
  TESSERA_RETURN_IF_ERROR(Expect(in, '[', "before the device ids"));
  std::vector<int64_t> ids;
  do {
    TESSERA_ASSIGN_OR_RETURN(const int64_t id, ParseInt(in, "a device id"));
    ids.push_back(id);
  } while (in.Consume(','));
  TESSERA_RETURN_IF_ERROR(Expect(in, ']', "or ',' behind a device id"));
  return ids;
}

absl::StatusOr<std::vector<MeshAxis>> ParseMeshAxes(Cursor& in) {
  TESSERA_RETURN_IF_ERROR(Expect(in, '[', "before the axes of a mesh"));
  std::vector<MeshAxis> axes;
  if (in.Consume(']')) return axes;
  do {
    TESSERA_ASSIGN_OR_RETURN(std::string name, ParseQuotedName(in));
    TESSERA_RETURN_IF_ERROR(Expect(in, '=', "and the size of the axis"));
    TESSERA_ASSIGN_OR_RETURN(const int64_t size, ParseInt(in, "the size of the axis"));
    axes.push_back({std::move(name), size});
  } while (in.Consume(','));
  TESSERA_RETURN_IF_ERROR(Expect(in, ']', "or ',' behind an axis of a mesh"));
  return axes;
}

absl::StatusOr<std::vector<AxisText>> ParseAxisSet(Cursor& in) {
  TESSERA_RETURN_IF_ERROR(Expect(in, '{', "before the list of axes"));
  std::vector<AxisText> axes;
  do {
    TESSERA_ASSIGN_OR_RETURN(AxisText axis, ParseAxisText(in));
    axes.push_back(std::move(axis));
  } while (in.Consume(','));
  TESSERA_RETURN_IF_ERROR(Expect(in, '}', "or ',' behind an axis"));
  return axes;
}

// The `p2` behind a dimension, if there is one.
absl::StatusOr<int64_t> ParsePriority(Cursor& in) {
  const size_t at = Here(in);
  const absl::string_view word = ConsumeWord(in);
  if (word.empty()) return kNoPriority;
  const absl::string_view digits = word.substr(1);
  int64_t priority = 0;
  if (word[0] != 'p' || digits.empty() ||
      digits.find_first_not_of("0123456789") != absl::string_view::npos) {
    return in.ErrorAt(at, absl::StrCat("expected a priority such as p1, not '", word, "'"));
  }
  if (digits.size() > 1 && digits[0] == '0') {
    return in.ErrorAt(at, absl::StrCat("a priority has no leading zeros: '", word, "'"));
  }
  if (!absl::SimpleAtoi(digits, &priority)) {
    return in.ErrorAt(at, absl::StrCat("the priority '", word, "' does not fit into 64 bits"));
  }
  return priority;
}

absl::Status ParseDimensions(Cursor& in, ShardingText& out) {
  TESSERA_RETURN_IF_ERROR(Expect(in, '[', "before the dimensions"));
  if (in.Consume(']')) return absl::OkStatus();
  do {
    TESSERA_ASSIGN_OR_RETURN(DimensionText dim, ParseDimensionText(in));
    out.dims.push_back(std::move(dim));
  } while (in.Consume(','));
  return Expect(in, ']', "or ',' behind a dimension");
}

absl::StatusOr<std::string> ParseSymbol(Cursor& in) {
  if (in.Peek() == '"') return ParseQuotedName(in);
  const absl::string_view word = ConsumeWord(in);
  if (word.empty()) return in.Error("expected the name of a mesh behind '@'");
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
    const size_t at = Here(in);
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
  const size_t at = Here(in);
  if (out.replicated.empty() && ConsumeWord(in, "replicated")) {
    TESSERA_RETURN_IF_ERROR(Expect(in, '=', "behind 'replicated'"));
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
  const bool wrapped = in.Consume("#sdy<");
  if (wrapped || in.Consume("#sdy.")) {
    const bool is_kind = ConsumeWord(in, kind);
    if (!is_kind || (!wrapped && in.rest().substr(0, 1) != "<")) {
      return in.Error(absl::StrCat("expected the attribute #sdy.", kind, "<..>"));
    }
  }
  absl::StatusOr<T> value = parse_body(in);
  if (!value.ok()) return value;
  if (wrapped) TESSERA_RETURN_IF_ERROR(Expect(in, '>', "at the end of the attribute"));
  if (!in.AtEnd()) return in.Error("unexpected text behind the attribute");
  return value;
}

absl::StatusOr<std::vector<ShardingText>> ParsePerValueBody(Cursor& in) {
  TESSERA_RETURN_IF_ERROR(Expect(in, '<', "before the list of shardings"));
  TESSERA_RETURN_IF_ERROR(Expect(in, '[', "before the list of shardings"));
  std::vector<ShardingText> shardings;
  if (!in.Consume(']')) {
    do {
      TESSERA_ASSIGN_OR_RETURN(ShardingText s, ParseShardingBody(in));
      shardings.push_back(std::move(s));
    } while (in.Consume(','));
    TESSERA_RETURN_IF_ERROR(Expect(in, ']', "or ',' behind a sharding"));
  }
  TESSERA_RETURN_IF_ERROR(Expect(in, '>', "behind the list of shardings"));
  return shardings;
}

absl::StatusOr<std::vector<std::string>> ParseManualAxesBody(Cursor& in) {
  TESSERA_RETURN_IF_ERROR(Expect(in, '{', "before the manual axes"));
  std::vector<std::string> names;
  if (in.Consume('}')) return names;
  do {
    TESSERA_ASSIGN_OR_RETURN(std::string name, ParseQuotedName(in));
    names.push_back(std::move(name));
  } while (in.Consume(','));
  TESSERA_RETURN_IF_ERROR(Expect(in, '}', "or ',' behind an axis"));
  return names;
}

}  // namespace

absl::StatusOr<std::string> ParseQuotedName(Cursor& in) {
  const size_t at = Here(in);
  absl::string_view body;
  if (!in.ConsumeQuoted(body)) return in.ErrorAt(at, "expected a name in double quotes");
  absl::StatusOr<std::string> name = UnquoteName(body);
  if (!name.ok()) return in.ErrorAt(at, name.status().message());
  return name;
}

absl::StatusOr<AxisText> ParseAxisText(Cursor& in) {
  AxisText axis;
  axis.offset = Here(in);
  TESSERA_ASSIGN_OR_RETURN(axis.name, ParseQuotedName(in));
  if (!in.Consume(':')) return axis;
  axis.is_sub = true;
  TESSERA_RETURN_IF_ERROR(Expect(in, '(', "and the pre-size of a sub-axis"));
  TESSERA_ASSIGN_OR_RETURN(axis.pre_size, ParseInt(in, "the pre-size of a sub-axis"));
  TESSERA_RETURN_IF_ERROR(Expect(in, ')', "behind the pre-size"));
  TESSERA_ASSIGN_OR_RETURN(axis.size, ParseInt(in, "the size of a sub-axis"));
  return axis;
}

absl::StatusOr<DimensionText> ParseDimensionText(Cursor& in) {
  DimensionText dim;
  dim.offset = Here(in);
  TESSERA_RETURN_IF_ERROR(Expect(in, '{', "before the axes of a dimension"));
  bool more = in.Peek() != '}';
  while (more) {
    if (in.Consume('?')) {
      dim.is_closed = false;
      break;
    }
    TESSERA_ASSIGN_OR_RETURN(AxisText axis, ParseAxisText(in));
    dim.axes.push_back(std::move(axis));
    more = in.Consume(',');
  }
  TESSERA_RETURN_IF_ERROR(Expect(
      in, '}', dim.is_closed ? "or ',' behind an axis" : "behind '?', which must be the last"));
  TESSERA_ASSIGN_OR_RETURN(dim.priority, ParsePriority(in));
  return dim;
}

absl::StatusOr<Mesh> ParseMeshBody(Cursor& in) {
  const size_t at = Here(in);
  TESSERA_RETURN_IF_ERROR(Expect(in, '<', "before a mesh"));
  TESSERA_ASSIGN_OR_RETURN(std::vector<MeshAxis> axes, ParseMeshAxes(in));
  std::vector<int64_t> ids;
  if (in.Consume(',')) {
    if (!ConsumeWord(in, "device_ids")) return in.Error("expected 'device_ids'");
    TESSERA_ASSIGN_OR_RETURN(ids, ParseDeviceIds(in));
  }
  TESSERA_RETURN_IF_ERROR(Expect(in, '>', "at the end of a mesh"));
  absl::StatusOr<Mesh> mesh = Mesh::Create(std::move(axes), std::move(ids));
  if (!mesh.ok()) return in.ErrorAt(at, mesh.status().message());
  return mesh;
}

absl::StatusOr<ShardingText> ParseShardingBody(Cursor& in) {
  ShardingText out;
  out.offset = Here(in);
  TESSERA_RETURN_IF_ERROR(Expect(in, '<', "before a sharding"));
  TESSERA_RETURN_IF_ERROR(ParseMeshOrRef(in, out));
  TESSERA_RETURN_IF_ERROR(Expect(in, ',', "behind the mesh"));
  TESSERA_RETURN_IF_ERROR(ParseDimensions(in, out));
  while (in.Consume(',')) TESSERA_RETURN_IF_ERROR(ParseNamedAxes(in, out));
  TESSERA_RETURN_IF_ERROR(Expect(in, '>', "at the end of a sharding"));
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
