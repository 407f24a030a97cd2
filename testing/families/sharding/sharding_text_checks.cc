#include <map>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/frontend.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/sharding/pspec.h"
#include "tessera/sharding/reference/reference.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/sharding/text/quote.h"
#include "tessera/sharding/text/sharding_lexer.h"
#include "tessera/testing/families/sharding/sharding_checks.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing {
namespace {

using nlohmann::json;
using sharding::HloSharding;
using sharding::MeshTable;
using sharding::TensorSharding;

// --- sdy text ---

using Canonical = absl::StatusOr<std::string>;

Canonical CanonicalMesh(const std::string& text) {
  TESSERA_ASSIGN_OR_RETURN(const sharding::Mesh mesh, sharding::ParseMesh(text));
  return absl::StrCat("#sdy.mesh", PrintMesh(mesh));
}

Canonical CanonicalSharding(const std::string& text) {
  TESSERA_ASSIGN_OR_RETURN(const auto s, sharding::ParseShardingText(text));
  return absl::StrCat("#sdy.sharding", ToString(s));
}

Canonical CanonicalPerValue(const std::string& text) {
  TESSERA_ASSIGN_OR_RETURN(const auto list, sharding::ParseShardingPerValueText(text));
  const auto print = [](std::string* out, const sharding::ShardingText& s) { *out += ToString(s); };
  return absl::StrCat("#sdy.sharding_per_value<[", absl::StrJoin(list, ", ", print), "]>");
}

Canonical CanonicalManualAxes(const std::string& text) {
  TESSERA_ASSIGN_OR_RETURN(const auto names, sharding::ParseManualAxes(text));
  const auto print = [](std::string* out, const std::string& name) {
    *out += sharding::QuoteName(name);
  };
  return absl::StrCat("#sdy<manual_axes{", absl::StrJoin(names, ", ", print), "}>");
}

Canonical CanonicalRule(const std::string& text) {
  TESSERA_ASSIGN_OR_RETURN(const auto rule, sharding::factors::ParseRule(text));
  return absl::StrCat("#sdy.op_sharding_rule<", RuleToString(rule), ">");
}

// An axis or a dimension within `#sdy<kind..>`.
template <typename Parse>
Canonical CanonicalPiece(const std::string& text, absl::string_view prefix, Parse parse) {
  text::Cursor in(text);
  if (!in.Consume(prefix)) return in.Error("expected the prefix");
  const auto piece = parse(in);
  if (!piece.ok()) return piece.status();
  if (!in.Consume('>') || !in.AtEnd()) return in.Error("expected '>' at the end");
  return absl::StrCat(prefix, ToString(*piece), ">");
}

Canonical CanonicalAxis(const std::string& text) {
  return CanonicalPiece(text, "#sdy<axis_ref",
                        [](text::Cursor& in) { return sharding::ParseAxisText(in); });
}

Canonical CanonicalDimension(const std::string& text) {
  return CanonicalPiece(text, "#sdy<dimension_sharding",
                        [](text::Cursor& in) { return sharding::ParseDimensionText(in); });
}

Canonical CanonicalNumber(const std::string& text) {
  TESSERA_ASSIGN_OR_RETURN(const int64_t number, sharding::ParseIntAttribute(text));
  return absl::StrCat(number, text.find("i32") == std::string::npos ? " : i64" : " : i32");
}

Canonical CanonicalMeshes(const std::string& text) {
  TESSERA_ASSIGN_OR_RETURN(const MeshTable meshes, sharding::ParseMeshesAttribute(text));
  std::string out;
  for (sharding::MeshId id = 0; id < meshes.size(); ++id) {
    absl::StrAppend(&out, id == 0 ? "" : ", ", meshes.name(id), " = #sdy.mesh",
                    PrintMesh(meshes.mesh(id)));
  }
  return absl::StrCat("{", out, "}");
}

struct SdyKind {
  absl::string_view prefix;
  Canonical (*canonical)(const std::string&);
};

// The longer of two prefixes first.
constexpr SdyKind kSdyKinds[] = {
    {"#sdy.mesh", CanonicalMesh},
    {"#sdy.sharding_per_value", CanonicalPerValue},
    {"#sdy.sharding", CanonicalSharding},
    {"#sdy<manual_axes", CanonicalManualAxes},
    {"#sdy.op_sharding_rule", CanonicalRule},
    {"#sdy<axis_ref", CanonicalAxis},
    {"#sdy<dimension_sharding", CanonicalDimension},
    {"{", CanonicalMeshes},
};

Canonical CanonicalSdy(const std::string& text) {
  for (const SdyKind& kind : kSdyKinds) {
    if (absl::StartsWith(text, kind.prefix)) return kind.canonical(text);
  }
  return CanonicalNumber(text);
}

// --- frontend attributes ---

using Attributes = std::map<std::string, std::string>;

// The text of `{...}` from this token to its closing brace.
absl::StatusOr<absl::string_view> ReadBraces(sharding::ShardingLexer& in) {
  const size_t begin = in.offset();
  int depth = 0;
  do {
    if (in.token() == sharding::ShardingToken::kEnd || in.token() == sharding::ShardingToken::kBad)
      return in.Error("unbalanced braces");
    if (in.Is('{')) ++depth;
    if (in.Is('}')) --depth;
    in.Next();
  } while (depth > 0);
  return in.TextSince(begin);
}

// `key="value",key={..}`
absl::StatusOr<Attributes> ParseAttributes(const std::string& text) {
  sharding::ShardingLexer in(text);
  Attributes out;
  do {
    const std::string key(in.token_text());
    if (!in.Consume(sharding::ShardingToken::kAttribute)) return in.Error("expected KEY=");
    if (in.Is('{')) {
      TESSERA_ASSIGN_OR_RETURN(const absl::string_view value, ReadBraces(in));
      out[key] = std::string(value);
    } else {
      TESSERA_ASSIGN_OR_RETURN(out[key], in.ExpectString("a value"));
    }
  } while (in.Consume(','));
  return out;
}

// The value as HLO's parser gives it, for a text with or without quotes.
absl::StatusOr<std::string> Unquoted(const std::string& text) {
  if (!absl::StartsWith(text, "\"")) return text;
  sharding::ShardingLexer in(text);
  return in.ExpectString("a value");
}

json PrintAttributes(const Attributes& attributes) {
  if (attributes.empty()) return nullptr;
  const auto print = [](std::string* out, const auto& entry) {
    absl::StrAppend(out, entry.first, "=\"", absl::CEscape(entry.second), "\"");
  };
  return absl::StrCat("{", absl::StrJoin(attributes, ",", print), "}");
}

std::string TilesOf(const TensorSharding& s, const MeshTable& meshes) {
  return ToTiledSharding(s, meshes.mesh(s.mesh_id())).ToString();
}

Outcome CheckParameter(const json& c) {
  auto attributes = ParseAttributes(c["attr"]);
  if (!attributes.ok()) return Failed(attributes.status().ToString());
  MeshTable meshes;
  if (c.contains("mesh")) {
    const auto mesh = sharding::ParseMesh(c["mesh"].get<std::string>());
    if (!mesh.ok() || !meshes.Add("mesh", *mesh).ok()) return Failed("bad mesh in the case");
  }
  const std::string key(sharding::kShardingAttribute);
  json out = nullptr;
  if (attributes->count(key) > 0) {
    const auto parsed = sharding::ParseShardingAttribute((*attributes)[key], meshes);
    if (c.contains("error")) return Expect("is an error", !parsed.ok(), true);
    if (!parsed.ok()) return Failed(parsed.status().ToString());
    if (*parsed) {
      attributes->erase(key);
      out = TilesOf(**parsed, meshes);
    }
  }
  return First({Expect("out", out, c["out"]),
                Expect("attrs_left", PrintAttributes(*attributes), c["attrs_left"])});
}

// A parameter sharded along "b" of @mesh shows whether the meshes were understood.
Outcome CheckModuleMeshes(const json& c) {
  auto value = Unquoted(c["attr"].get<std::string>());
  if (!value.ok()) return Failed(value.status().ToString());
  auto meshes = sharding::ParseMeshesAttribute(*value);
  if (c.contains("error")) return Expect("is an error", !meshes.ok(), true);
  if (!meshes.ok()) return Failed(meshes.status().ToString());
  const auto s = sharding::ParseSharding("<@mesh, [{\"b\"}, {}]>", *meshes);
  if (!s.ok()) return Failed(s.status().ToString());
  return Expect("out", TilesOf(*s, *meshes), c["out"].get<std::string>());
}

}  // namespace

Outcome ExpectTextOrError(const json& c, const absl::StatusOr<std::string>& actual) {
  if (!c.contains("error")) {
    if (!actual.ok()) return Failed(actual.status().ToString());
    return Expect("out", *actual, c["out"].get<std::string>());
  }
  if (actual.ok()) return Failed(absl::StrCat("got ", *actual, ", expected an error"));
  if (!c.contains("at") || c["at"][0] != 1) return Passed();
  return Expect("column", text::ErrorOffset(actual.status()), c["at"][1].get<size_t>());
}

namespace {

// As the release writes it that made the case.
std::string Print(const HloSharding& s, const json& c) {
  const auto reference = sharding::reference::FindReference(
      c.value(kReferenceField, std::string(sharding::reference::kNewest)));
  sharding::HloShardingForm form;
  form.single_device = reference.ok() && reference->behaviors.single_device_in_named_form;
  return s.ToString(form);
}

}  // namespace

Outcome CheckHloText(const json& c) {
  const auto parsed = sharding::ParseHloSharding(c["in"].get<std::string>());
  if (!parsed.ok()) return ExpectTextOrError(c, parsed.status());
  return ExpectTextOrError(c, Print(*parsed, c));
}

Outcome CheckNamedText(const json& c) {
  const auto parsed = sharding::ParseHloSharding(c["in"].get<std::string>());
  if (!parsed.ok()) return ExpectTextOrError(c, parsed.status());
  const Outcome text = ExpectTextOrError(c, Print(*parsed, c));
  if (!c.contains("v2")) return text;
  return First(
      {text, Expect("v2", ToTiledSharding(*parsed).ToString(), c["v2"].get<std::string>())});
}

Outcome CheckSdyText(const json& c) { return ExpectTextOrError(c, CanonicalSdy(c["in"])); }

Outcome CheckPartitionSpec(const json& c) {
  const auto mesh = sharding::ParseMesh(absl::StrCat("<", c["mesh"].get<std::string>(), ">"));
  if (!mesh.ok()) return Failed(mesh.status().ToString());
  const auto spec = sharding::ParsePartitionSpec(c["spec"].get<std::string>());
  const auto resolved = spec.ok() ? spec->Resolve(0, *mesh, c["rank"])
                                  : absl::StatusOr<TensorSharding>(spec.status());
  if (c.contains("error")) return Expect("is an error", !resolved.ok(), true);
  if (!resolved.ok()) return Failed(resolved.status().ToString());
  return First({
      Expect("canonical", spec->ToString(), c["canonical"].get<std::string>()),
      Expect("dims", PrintDims(*resolved, *mesh), c["dims"].get<std::string>()),
      Expect("v2", ToTiledSharding(*resolved, *mesh).ToString(), c["v2"].get<std::string>()),
  });
}

Outcome CheckFrontend(const json& c) {
  return c["op"] == "module_meshes" ? CheckModuleMeshes(c) : CheckParameter(c);
}

}  // namespace tessera::testing
