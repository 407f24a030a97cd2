#include "tessera/sharding/graph/import/frontend.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/sdy_resolve.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/text/cursor.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::graph {
namespace {

constexpr absl::string_view kSharding = "xla.sdy.sharding";

// A bare word or a quoted string.
absl::StatusOr<std::string> ParseKey(text::Cursor& in) {
  absl::string_view word;
  if (in.ConsumeIdentifier(word)) return std::string(word);
  return ParseQuotedName(in);
}

// {mesh = #sdy.mesh<["a"=2]>, ...}; sorted by name.
absl::StatusOr<std::map<std::string, Mesh>> ParseMeshes(absl::string_view text) {
  text::Cursor in(text);
  std::map<std::string, Mesh> meshes;
  if (!in.Consume('{')) return in.Error("expected '{' and named meshes");
  if (in.Consume('}')) return meshes;
  do {
    TESSERA_ASSIGN_OR_RETURN(std::string name, ParseKey(in));
    if (!in.Consume('=')) return in.Error("expected '=' and a mesh");
    in.Consume("#sdy.mesh");
    TESSERA_ASSIGN_OR_RETURN(Mesh mesh, ParseMeshBody(in));
    if (!meshes.emplace(name, std::move(mesh)).second) {
      return in.Error(absl::StrCat("mesh '", name, "' is given twice"));
    }
  } while (in.Consume(','));
  if (!in.Consume('}')) return in.Error("expected ',' or '}'");
  return meshes;
}

ValueType TypeOf(const Value& value) {
  ValueType type;
  if (value.is_array()) {
    type.dimensions = value.shape().dims();
  } else {
    type.kind = ValueType::Kind::kToken;
  }
  return type;
}

}  // namespace

std::optional<std::string> Frontend::ModuleText(absl::string_view key) const {
  std::optional<std::string> text;
  for (const auto& [name, value] : graph_.module().header().frontend_attributes) {
    std::string decoded;
    if (name == key) text = absl::CUnescape(value, &decoded) ? decoded : value;
  }
  return text;
}

bool Frontend::ModuleHas(absl::string_view key) const { return ModuleText(key).has_value(); }

absl::Status Frontend::ReadMeshes() {
  const std::optional<std::string> text = ModuleText("xla.sdy.meshes");
  if (!text.has_value()) return absl::OkStatus();
  const auto meshes = ParseMeshes(*text);
  if (!meshes.ok()) {
    return text::ErrorAt(graph_.module().source().begin,
                         absl::StrCat("in xla.sdy.meshes: ", meshes.status().message()));
  }
  for (const auto& [name, mesh] : *meshes) {
    TESSERA_RETURN_IF_ERROR(graph_.meshes().Add(name, mesh).status());
  }
  return absl::OkStatus();
}

absl::Status Frontend::ErrorAt(hlo::InstructionId id, absl::string_view message) const {
  const hlo::Instruction& instruction = graph_.module().instruction(id);
  return text::ErrorAt(instruction.source.begin,
                       absl::StrCat("%", instruction.name, ": ", message));
}

absl::StatusOr<std::optional<std::string>> Frontend::Text(hlo::InstructionId id,
                                                          absl::string_view key) const {
  const auto text = hlo::GetFrontendAttribute(graph_.module(), id, key);
  if (!text.has_value()) return std::optional<std::string>();
  std::string decoded;
  if (!absl::CUnescape(*text, &decoded)) {
    return ErrorAt(id, absl::StrCat("bad escape sequence in ", key));
  }
  return std::optional<std::string>(std::move(decoded));
}

absl::StatusOr<std::vector<ShardingId>> Frontend::ParseList(const std::string& text) {
  const auto known = lists_.find(text);
  if (known != lists_.end()) return known->second;
  TESSERA_ASSIGN_OR_RETURN(const auto parsed, ParseShardingPerValue(text, graph_.meshes()));
  std::vector<ShardingId> ids;
  for (const TensorSharding& s : parsed) ids.push_back(graph_.shardings().Intern(s));
  return lists_[text] = std::move(ids);
}

absl::StatusOr<ShardingId> Frontend::ParameterSharding(hlo::InstructionId id) {
  TESSERA_ASSIGN_OR_RETURN(const auto text, Text(id, kSharding));
  if (!text.has_value()) return kNoSharding;
  const auto known = single_.find(*text);
  if (known != single_.end()) return known->second;
  const auto parsed = ParseSharding(*text, graph_.meshes());
  if (parsed.ok()) return single_[*text] = graph_.shardings().Intern(*parsed);
  if (ParseList(*text).ok()) return kNoSharding;
  return ErrorAt(id, absl::StrCat("in ", kSharding, ": ", parsed.status().message()));
}

absl::StatusOr<std::vector<ShardingId>> Frontend::ResultShardings(hlo::InstructionId id) {
  return ShardingList(id, kSharding);
}

absl::StatusOr<std::vector<ShardingId>> Frontend::ShardingList(hlo::InstructionId id,
                                                               absl::string_view key) {
  TESSERA_ASSIGN_OR_RETURN(const auto text, Text(id, key));
  if (!text.has_value()) return std::vector<ShardingId>();
  auto parsed = ParseList(*text);
  if (parsed.ok()) return parsed;
  if (ParseSharding(*text, graph_.meshes()).ok()) return std::vector<ShardingId>();
  return ErrorAt(id, absl::StrCat("in ", key, ": ", parsed.status().message()));
}

absl::StatusOr<std::vector<ShardingId>> Frontend::ModuleShardings(absl::string_view key) {
  const std::optional<std::string> text = ModuleText(key);
  if (!text.has_value()) return std::vector<ShardingId>();
  return ParseList(*text);
}

absl::StatusOr<std::vector<std::string>> Frontend::ManualAxes(hlo::InstructionId id) {
  constexpr absl::string_view kKey = "xla.sdy.manual_axes";
  TESSERA_ASSIGN_OR_RETURN(const auto text, Text(id, kKey));
  if (!text.has_value()) return std::vector<std::string>();
  auto axes = ParseManualAxes(*text);
  if (axes.ok()) return axes;
  return ErrorAt(id, absl::StrCat("in ", kKey, ": ", axes.status().message()));
}

absl::StatusOr<std::optional<int64_t>> Frontend::Integer(hlo::InstructionId id,
                                                         absl::string_view key) {
  TESSERA_ASSIGN_OR_RETURN(const auto text, Text(id, key));
  if (!text.has_value()) return std::optional<int64_t>();
  const absl::string_view digits = absl::string_view(*text).substr(0, text->find(':'));
  int64_t value = 0;
  if (absl::SimpleAtoi(digits, &value)) return std::optional<int64_t>(value);
  return ErrorAt(id, absl::StrCat(key, " must be an integer such as '1 : i64', not '", *text, "'"));
}

absl::Status Frontend::Check(ShardingId sharding, const Value& value, hlo::InstructionId at) const {
  if (sharding == kNoSharding) return absl::OkStatus();
  const ValueType type = TypeOf(value);
  const absl::Status status = VerifySharding(graph_.shardings()[sharding], graph_.meshes(), &type);
  return status.ok() ? status : ErrorAt(at, status.message());
}

}  // namespace tessera::sharding::graph
