#include "tessera/sharding/passes/import/annotations/sdy_attribute_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/error_at.h"
#include "tessera/sharding/frontend.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/error_list.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

// The offset of the key; the beginning of the range if the key is absent.
size_t PlaceIn(const hlo::Module& module, hlo::SourceRange range, absl::string_view key) {
  if (module.text() == nullptr) return range.begin;
  const size_t found = module.text()->text().substr(range.begin, range.size()).find(key);
  return found == absl::string_view::npos ? range.begin : range.begin + found;
}

}  // namespace

ValueType TypeOf(const Value& value) {
  ValueType type;
  if (value.is_array()) {
    type.dimensions = value.shape().dims();
  } else {
    type.kind = ValueType::Kind::kToken;
  }
  return type;
}

std::optional<std::string> SdyAttributeReader::ModuleText(absl::string_view key) const {
  std::optional<std::string> text;
  for (const auto& [name, value] : program_.module().header().frontend_attributes) {
    if (name == key) text = value;
  }
  return text;
}

bool SdyAttributeReader::ModuleHas(absl::string_view key) const {
  return ModuleText(key).has_value();
}

absl::Status SdyAttributeReader::ModuleError(absl::string_view key,
                                             const absl::Status& status) const {
  const size_t place = PlaceIn(program_.module(), program_.module().source(), key);
  return text::ErrorAt(place, absl::StrCat("in ", key, ": ", status.message()));
}

absl::Status SdyAttributeReader::ReadMeshes() {
  const std::optional<std::string> text = ModuleText(kMeshesAttribute);
  MeshTable meshes;
  if (text.has_value()) {
    absl::StatusOr<MeshTable> parsed = ParseMeshesAttribute(*text);
    if (!parsed.ok()) return ModuleError(kMeshesAttribute, parsed.status());
    meshes = *std::move(parsed);
  }
  if (!mesh_.has_value()) {
    program_.meshes() = std::move(meshes);
    return absl::OkStatus();
  }
  bool any = false;
  for (MeshId id = 0; id < meshes.size(); ++id) {
    const bool replace = meshes.mesh(id).num_axes() > 0;
    any |= replace;
    const Mesh& mesh = replace ? *mesh_ : meshes.mesh(id);
    for (const MeshAxis& axis : meshes.mesh(id).axes()) {
      if (!mesh.FindAxis(axis.name)) missing_axes_.push_back(absl::StrCat("\"", axis.name, "\""));
    }
    TESSERA_RETURN_IF_ERROR(program_.meshes().Add(meshes.name(id), mesh).status());
  }
  return any ? absl::OkStatus() : program_.meshes().Add("mesh", *mesh_).status();
}

absl::Status SdyAttributeReader::WithMissingAxes(const absl::Status& mistakes) const {
  const std::vector<text::Diagnostic> list = text::ErrorList(mistakes);
  if (list.empty() || missing_axes_.empty()) return mistakes;
  const size_t more = list.size() - 1;
  return text::ErrorAt(
      list[0].offset,
      absl::StrCat(
          list[0].message, "; --mesh replaces the module's mesh, which also has ",
          absl::StrJoin(missing_axes_, ", "),
          more == 0 ? "" : absl::StrCat("; errors of ", more, " more annotations are left out")));
}

absl::Status SdyAttributeReader::ErrorAt(hlo::InstructionId id, absl::string_view message) const {
  return hlo::ErrorAtName(program_.module(), id, message);
}

absl::Status SdyAttributeReader::ErrorIn(hlo::InstructionId id, absl::string_view key,
                                         const absl::Status& status) const {
  const hlo::Instruction& instruction = program_.module().instruction(id);
  return text::ErrorAt(PlaceIn(program_.module(), instruction.source, key),
                       absl::StrCat("%", instruction.name, ": in ", key, ": ", status.message()));
}

std::optional<std::string> SdyAttributeReader::Text(hlo::InstructionId id,
                                                    absl::string_view key) const {
  return hlo::GetFrontendAttribute(program_.module(), id, key);
}

absl::StatusOr<SdyAttributeReader::List> SdyAttributeReader::ParseList(const std::string& text) {
  const auto known = lists_.find(text);
  if (known != lists_.end()) return known->second;
  TESSERA_ASSIGN_OR_RETURN(const auto parsed, ParsePerValueAttribute(text, program_.meshes()));
  List ids;
  if (parsed.has_value()) {
    for (const TensorSharding& s : *parsed) ids.push_back(program_.shardings().Intern(s));
  }
  return lists_[text] = std::move(ids);
}

absl::StatusOr<ShardingId> SdyAttributeReader::ParameterSharding(hlo::InstructionId id) {
  const auto written = program_.module().FindAttribute(id, hlo::AttributeName::kFrontendAttributes);
  if (!written.has_value()) return kNoSharding;
  const auto known = parameters_.find(*written);
  if (known != parameters_.end()) return known->second;
  TESSERA_ASSIGN_OR_RETURN(const ShardingId sharding, ReadParameterSharding(id));
  return parameters_[*written] = sharding;
}

absl::StatusOr<ShardingId> SdyAttributeReader::ReadParameterSharding(hlo::InstructionId id) {
  const std::optional<std::string> text = Text(id, kShardingAttribute);
  if (!text.has_value()) return kNoSharding;
  const auto known = single_.find(*text);
  if (known != single_.end()) return known->second;
  const auto parsed = ParseShardingAttribute(*text, program_.meshes());
  if (!parsed.ok()) return ErrorIn(id, kShardingAttribute, parsed.status());
  return single_[*text] = parsed->has_value() ? program_.shardings().Intern(**parsed) : kNoSharding;
}

absl::StatusOr<SdyAttributeReader::List> SdyAttributeReader::ResultShardings(
    hlo::InstructionId id) {
  return ShardingList(id, kShardingAttribute);
}

absl::StatusOr<SdyAttributeReader::List> SdyAttributeReader::ShardingList(hlo::InstructionId id,
                                                                          absl::string_view key) {
  const auto written = program_.module().FindAttribute(id, hlo::AttributeName::kFrontendAttributes);
  if (!written.has_value()) return List();
  const auto known = written_lists_.find({*written, key});
  if (known != written_lists_.end()) return known->second;
  const std::optional<std::string> text = Text(id, key);
  if (!text.has_value()) return List();
  const absl::StatusOr<List> parsed = ParseList(*text);
  if (!parsed.ok()) return ErrorIn(id, key, parsed.status());
  return written_lists_[{*written, key}] = *parsed;
}

absl::StatusOr<SdyAttributeReader::List> SdyAttributeReader::ModuleShardings(
    absl::string_view key) {
  const std::optional<std::string> text = ModuleText(key);
  if (!text.has_value()) return List();
  absl::StatusOr<List> parsed = ParseList(*text);
  return parsed.ok() ? parsed : ModuleError(key, parsed.status());
}

bool SdyAttributeReader::Says(hlo::InstructionId id, absl::string_view key, ShardingId sharding) {
  if (program_.module().instruction(id).opcode == hlo::Opcode::kParameter) {
    const auto one = ParameterSharding(id);
    return one.ok() && *one == sharding;
  }
  const auto list = ShardingList(id, key);
  return list.ok() && std::find(list->begin(), list->end(), sharding) != list->end();
}

absl::Status SdyAttributeReader::ErrorWhere(ShardingId sharding, const absl::Status& status) {
  for (hlo::InstructionId id = 0; id < program_.module().num_instructions(); ++id) {
    for (absl::string_view key :
         {kShardingAttribute, kInShardingsAttribute, kOutShardingsAttribute}) {
      if (Says(id, key, sharding)) return ErrorIn(id, key, status);
    }
  }
  return ModuleError(kMeshesAttribute, status);
}

absl::StatusOr<std::vector<std::string>> SdyAttributeReader::ManualAxes(hlo::InstructionId id) {
  const std::optional<std::string> text = Text(id, kManualAxesAttribute);
  if (!text.has_value()) return std::vector<std::string>();
  auto axes = ParseManualAxesAttribute(*text);
  if (!axes.ok()) return ErrorIn(id, kManualAxesAttribute, axes.status());
  return axes;
}

absl::StatusOr<std::optional<int64_t>> SdyAttributeReader::Integer(hlo::InstructionId id,
                                                                   absl::string_view key) {
  const std::optional<std::string> text = Text(id, key);
  if (!text.has_value()) return std::optional<int64_t>();
  const auto value = ParseIntAttribute(*text);
  if (!value.ok()) return ErrorIn(id, key, value.status());
  return std::optional<int64_t>(*value);
}

absl::Status SdyAttributeReader::Check(ShardingId sharding, const Value& value,
                                       hlo::InstructionId at) {
  if (sharding == kNoSharding) return absl::OkStatus();
  const auto [place, is_new] = checked_.emplace(sharding, &value.shape());
  if (!is_new) return absl::OkStatus();
  const ValueType type = TypeOf(value);
  const absl::Status status =
      VerifySharding(program_.shardings()[sharding], program_.meshes(), &type);
  if (status.ok()) return status;
  checked_.erase(place);
  return ErrorAt(at, status.message());
}

}  // namespace tessera::sharding::passes
