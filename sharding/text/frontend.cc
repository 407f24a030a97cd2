#include "tessera/sharding/frontend.h"

#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/text/cursor.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {
namespace {

using text::Cursor;

// Offset after the bracket that closes the one at text[0]; npos when there is none. Strings are
// passed over.
size_t BracketEnd(absl::string_view text) {
  std::string open;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\' ? 1 : 0;
    } else if (c == '<' || c == '{' || c == '[' || c == '(') {
      open += c == '(' ? ')' : static_cast<char>(c + 2);
    } else if (c == '>' && i > 0 && text[i - 1] == '-') {
      continue;
    } else if (c == '>' || c == '}' || c == ']' || c == ')') {
      if (open.empty() || open.back() != c) return absl::string_view::npos;
      open.pop_back();
      if (open.empty()) return i + 1;
    }
  }
  return absl::string_view::npos;
}

// Whether the text looks like any attribute: a dialect's (`#name<..>`), a dictionary, list, string,
// number or word.
bool LooksLikeAttribute(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (text.empty()) return false;
  if (text[0] == '{' || text[0] == '[') return BracketEnd(text) == text.size();
  if (text[0] == '#') {
    const size_t open = text.find('<');
    return open != absl::string_view::npos && BracketEnd(text.substr(open)) == text.size() - open;
  }
  Cursor in(text);
  absl::string_view quoted;
  int64_t number = 0;
  if (in.ConsumeQuoted(quoted)) return in.AtEnd();
  if (in.ConsumeInt(number)) return in.AtEnd() || in.Consume(':');
  return text == "unit" || text == "true" || text == "false";
}

// None when the text is an attribute of another kind than `#sdy.KIND<..>`.
absl::StatusOr<bool> IsOfKind(absl::string_view text, absl::string_view kind) {
  Cursor in(text);
  const bool prefixed = in.Consume("#sdy.") || in.Consume("#sdy<");
  if (prefixed && in.Consume(kind) && in.Peek() == '<') return true;
  if (LooksLikeAttribute(text)) return false;
  return text::ErrorAt(0, absl::StrCat("'", text, "' is not an attribute; expected #sdy.", kind));
}

absl::StatusOr<std::string> ParseMeshName(Cursor& in) {
  if (in.Peek() == '"') return ParseQuotedName(in);
  absl::string_view name;
  if (!in.ConsumeIdentifier(name)) return in.Error("expected the name of a mesh");
  return std::string(name);
}

absl::StatusOr<Mesh> ParseNamedMesh(Cursor& in) {
  if (in.Peek() != '#') return in.Error("expected #sdy.mesh<[..]>");
  return ParseNested<Mesh>(in, "mesh", ParseMeshBody);
}

}  // namespace

bool IsManualBodyName(absl::string_view name) {
  return absl::StrContains(name, "xla.sdy.manual_computation_body");
}

absl::StatusOr<std::string> UnescapeAttribute(absl::string_view value) {
  std::string out;
  std::string error;
  if (absl::CUnescape(value, &out, &error)) return out;
  return text::ErrorAt(0, absl::StrCat("the attribute has a wrong escape: ", error));
}

absl::StatusOr<MeshTable> ParseMeshesAttribute(absl::string_view value) {
  TESSERA_ASSIGN_OR_RETURN(const std::string text, UnescapeAttribute(value));
  Cursor in(text);
  std::map<std::string, Mesh> by_name;
  if (!in.Consume('{')) return in.Error("expected '{' before the meshes");
  if (!in.Consume('}')) {
    do {
      const size_t at = in.offset();
      TESSERA_ASSIGN_OR_RETURN(std::string name, ParseMeshName(in));
      if (!in.Consume('=')) return in.Error("expected '=' and a mesh");
      TESSERA_ASSIGN_OR_RETURN(Mesh mesh, ParseNamedMesh(in));
      if (!by_name.emplace(name, std::move(mesh)).second) {
        return in.ErrorAt(at, absl::StrCat("two meshes have the name @", name));
      }
    } while (in.Consume(','));
    if (!in.Consume('}')) return in.Error("expected '}' or ',' after a mesh");
  }
  if (!in.AtEnd()) return in.Error("unexpected text after the meshes");
  MeshTable meshes;
  for (auto& [name, mesh] : by_name) {
    TESSERA_RETURN_IF_ERROR(meshes.Add(name, std::move(mesh)).status());
  }
  return meshes;
}

absl::StatusOr<std::optional<TensorSharding>> ParseShardingAttribute(absl::string_view value,
                                                                     MeshTable& meshes) {
  TESSERA_ASSIGN_OR_RETURN(const std::string text, UnescapeAttribute(value));
  TESSERA_ASSIGN_OR_RETURN(const bool is_sharding, IsOfKind(text, "sharding"));
  if (!is_sharding) return std::nullopt;
  TESSERA_ASSIGN_OR_RETURN(TensorSharding sharding, ParseSharding(text, meshes));
  return sharding;
}

absl::StatusOr<std::optional<std::vector<TensorSharding>>> ParsePerValueAttribute(
    absl::string_view value, MeshTable& meshes) {
  TESSERA_ASSIGN_OR_RETURN(const std::string text, UnescapeAttribute(value));
  TESSERA_ASSIGN_OR_RETURN(const bool is_list, IsOfKind(text, "sharding_per_value"));
  if (!is_list) return std::nullopt;
  TESSERA_ASSIGN_OR_RETURN(std::vector<TensorSharding> list, ParseShardingPerValue(text, meshes));
  return list;
}

absl::StatusOr<std::vector<std::string>> ParseManualAxesAttribute(absl::string_view value) {
  TESSERA_ASSIGN_OR_RETURN(const std::string text, UnescapeAttribute(value));
  return ParseManualAxes(text);
}

absl::StatusOr<int64_t> ParseIntAttribute(absl::string_view value) {
  Cursor in(value);
  int64_t number = 0;
  absl::string_view type;
  if (!in.ConsumeInt(number)) return in.Error("expected a number");
  if (in.Consume(':') && !in.ConsumeIdentifier(type)) return in.Error("expected a type, as i64");
  if (!in.AtEnd()) return in.Error("unexpected text after the number");
  return number;
}

}  // namespace tessera::sharding
