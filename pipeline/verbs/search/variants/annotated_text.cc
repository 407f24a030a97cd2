#include "tessera/pipeline/verbs/search/variants/annotated_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/edit.h"
#include "tessera/pipeline/pattern_annotation.h"
#include "tessera/pipeline/verbs/search/suggest/imported_annotations.h"
#include "tessera/pipeline/verbs/search/suggest/mark_calls.h"
#include "tessera/pipeline/writers/custom_calls.h"
#include "tessera/sharding/frontend.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/sharding/hlo_sharding.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/passes/import/import.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using hlo::AttributeName;
using hlo::InstructionId;
using sharding::HloSharding;
using sharding::Mesh;
using sharding::MeshId;
using sharding::MeshTable;
using sharding::TensorSharding;

constexpr absl::string_view kResultCall = "xla.sdy.FuncResultSharding";

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string Get(const Pairs& pairs, absl::string_view key) {
  const auto found = std::find_if(pairs.rbegin(), pairs.rend(),
                                  [&](const auto& pair) { return pair.first == key; });
  return found == pairs.rend() ? "" : found->second;
}

void Set(absl::string_view key, std::string value, Pairs* pairs) {
  const auto found = absl::c_find_if(*pairs, [&](const auto& pair) { return pair.first == key; });
  if (found == pairs->end()) {
    pairs->emplace_back(key, std::move(value));
  } else {
    found->second = std::move(value);
  }
}

// The meshes of the module; those with axes become `mesh` if there is one.
absl::StatusOr<MeshTable> MeshesOf(const hlo::Module& module, const std::optional<Mesh>& mesh) {
  MeshTable own;
  const std::string text = Get(module.header().frontend_attributes, sharding::kMeshesAttribute);
  if (!text.empty()) {
    TESSERA_ASSIGN_OR_RETURN(own, sharding::ParseMeshesAttribute(text));
  }
  if (!mesh.has_value()) return own;
  MeshTable meshes;
  for (MeshId id = 0; id < own.size(); ++id) {
    const bool stays = own.mesh(id).num_axes() == 0;
    TESSERA_RETURN_IF_ERROR(meshes.Add(own.name(id), stays ? own.mesh(id) : *mesh).status());
  }
  if (OnlyMesh(meshes) == sharding::kNoMesh) {
    TESSERA_RETURN_IF_ERROR(meshes.Add("mesh", *mesh).status());
  }
  return meshes;
}

class AnnotationWriter {
 public:
  AnnotationWriter(const hlo::Module& module, MeshTable meshes)
      : module_(module),
        meshes_(std::move(meshes)),
        mesh_(OnlyMesh(meshes_)),
        edit_(module),
        calls_(module, &edit_) {}

  absl::Status WriteMesh();
  // Of parameters and constraints.
  absl::Status WriteSaid(const std::vector<PatternAnnotation>& annotations);
  absl::Status WriteDonated();
  std::string Text() {
    calls_.Finish();
    return edit_.Apply();
  }

 private:
  Pairs FrontendOf(InstructionId id) const;
  absl::StatusOr<std::optional<TensorSharding>> ShardingOf(InstructionId parameter);
  HloSharding InHlo(const TensorSharding& sharding) const;
  std::string PerValue(const TensorSharding& sharding) const;
  bool IsArgument(InstructionId id) const;
  absl::Status WriteParameters();
  void Write(InstructionId id, const std::string& value);
  absl::Status WriteResult(size_t number, const TensorSharding& sharding);
  absl::Status WriteRoot();
  absl::Status TakeOwnResults();
  void AddConstraint(InstructionId value, const TensorSharding& sharding);
  void AddResultCall(InstructionId value, size_t number, const std::string& attribute);

  const hlo::Module& module_;
  MeshTable meshes_;
  const MeshId mesh_;
  hlo::Editor edit_;
  MarkCalls calls_;
  absl::flat_hash_map<InstructionId, TensorSharding> written_;  // parameters
  std::map<size_t, HloSharding> results_;                       // by number
  bool mesh_changes_ = false;
};

absl::Status AnnotationWriter::WriteMesh() {
  if (mesh_ == sharding::kNoMesh) {
    return absl::UnimplementedError("--format=diff writes into a module with one mesh");
  }
  std::vector<std::string> texts;
  for (MeshId id = 0; id < meshes_.size(); ++id) {
    texts.push_back(
        absl::StrCat(meshes_.name(id), " = #sdy.mesh", sharding::PrintMesh(meshes_.mesh(id))));
  }
  Pairs pairs = module_.header().frontend_attributes;
  const std::string text = absl::StrCat("{", absl::StrJoin(texts, ", "), "}");
  mesh_changes_ = Get(pairs, sharding::kMeshesAttribute) != text;
  if (!mesh_changes_) return absl::OkStatus();
  Set(sharding::kMeshesAttribute, text, &pairs);
  const int64_t devices = meshes_.mesh(mesh_).num_devices();
  if (module_.header().num_partitions != devices) {
    edit_.SetHeaderAttribute("num_partitions", absl::StrCat(devices));
  }
  edit_.SetHeaderAttribute("frontend_attributes", hlo::FormatFrontendAttributes(pairs));
  return absl::OkStatus();
}

Pairs AnnotationWriter::FrontendOf(InstructionId id) const {
  Pairs pairs;
  for (const hlo::FrontendEntry& entry : hlo::GetFrontendEntries(module_, id)) {
    pairs.emplace_back(entry.key, hlo::DecodeFrontendValue(entry.value));
  }
  return pairs;
}

void AnnotationWriter::Write(InstructionId id, const std::string& value) {
  Pairs pairs = FrontendOf(id);
  if (Get(pairs, sharding::kShardingAttribute) == value) return;
  Set(sharding::kShardingAttribute, value, &pairs);
  edit_.SetAttribute(id, AttributeName::kFrontendAttributes, hlo::FormatFrontendAttributes(pairs));
}

bool AnnotationWriter::IsArgument(InstructionId id) const {
  const hlo::Instruction& instruction = module_.instruction(id);
  return instruction.opcode == hlo::Opcode::kParameter &&
         instruction.computation == module_.entry_id();
}

absl::Status AnnotationWriter::WriteSaid(const std::vector<PatternAnnotation>& annotations) {
  TESSERA_ASSIGN_OR_RETURN(const auto said, FindAnnotated(module_, annotations));
  for (const sharding::passes::UserAnnotation& one : said) {
    const InstructionId id = one.instruction;
    const layout::Shape& shape = module_.shape(id);
    if (!shape.is_array() || id == module_.entry().root) {
      return absl::UnimplementedError(
          absl::StrCat("--format=diff writes shardings of arrays that are no result, and ",
                       module_.instruction(id).name, " is none"));
    }
    TESSERA_ASSIGN_OR_RETURN(const auto sharding, one.spec.Resolve(mesh_, meshes_.mesh(mesh_),
                                                                   static_cast<int>(shape.rank())));
    if (IsArgument(id)) {
      written_.insert_or_assign(id, sharding);
    } else if (writers::CallKindOf(module_, id) == writers::CallKind::kConstraint) {
      edit_.SetAttribute(id, AttributeName::kSharding, InHlo(sharding).ToString());
      Write(id, PerValue(sharding));
    } else {
      AddConstraint(id, sharding);
    }
  }
  return WriteParameters();
}

absl::Status AnnotationWriter::WriteParameters() {
  for (const InstructionId id : module_.entry().parameters) {
    if (!mesh_changes_ && !written_.contains(id)) continue;
    TESSERA_ASSIGN_OR_RETURN(const auto sharding, ShardingOf(id));
    if (!sharding.has_value()) continue;
    edit_.SetAttribute(id, AttributeName::kSharding, InHlo(*sharding).ToString());
    Write(id, absl::StrCat("#sdy.sharding", sharding::PrintSharding(*sharding, meshes_)));
  }
  return absl::OkStatus();
}

std::string AnnotationWriter::PerValue(const TensorSharding& sharding) const {
  return absl::StrCat("#sdy.sharding_per_value<[", sharding::PrintSharding(sharding, meshes_),
                      "]>");
}

HloSharding AnnotationWriter::InHlo(const TensorSharding& sharding) const {
  return sharding::ToTiledSharding(sharding, meshes_.mesh(sharding.mesh_id()));
}

absl::StatusOr<std::optional<TensorSharding>> AnnotationWriter::ShardingOf(
    InstructionId parameter) {
  const auto written = written_.find(parameter);
  if (written != written_.end()) return written->second;
  const auto own = hlo::GetFrontendAttribute(module_, parameter, sharding::kShardingAttribute);
  if (!own.has_value()) return std::nullopt;
  return sharding::ParseShardingAttribute(*own, meshes_);
}

absl::Status AnnotationWriter::WriteDonated() {
  for (const auto& [result, parameter] : DonatedOf(module_)) {
    TESSERA_ASSIGN_OR_RETURN(const auto sharding, ShardingOf(parameter));
    if (!sharding.has_value()) continue;
    TESSERA_RETURN_IF_ERROR(WriteResult(static_cast<size_t>(result), *sharding));
  }
  return WriteRoot();
}

// The compiler chooses layouts of results by `sharding=` of the root, one for each result.
absl::Status AnnotationWriter::WriteRoot() {
  const InstructionId root = module_.entry().root;
  const auto own = module_.FindAttribute(root, AttributeName::kSharding);
  if (!own.has_value()) return absl::OkStatus();
  if (mesh_changes_) TESSERA_RETURN_IF_ERROR(TakeOwnResults());
  if (results_.empty()) return absl::OkStatus();
  TESSERA_ASSIGN_OR_RETURN(HloSharding whole, sharding::ParseHloSharding(*own));
  if (whole.IsTuple()) {
    std::vector<HloSharding> elements = whole.elements();
    for (const auto& [number, sharding] : results_) {
      if (number < elements.size()) elements[number] = sharding;
    }
    whole = HloSharding::Tuple(std::move(elements));
  } else {
    whole = results_.begin()->second;
  }
  edit_.SetAttribute(root, AttributeName::kSharding, whole.ToString());
  return absl::OkStatus();
}

// Results without an annotation keep their axes, on the new mesh.
absl::Status AnnotationWriter::TakeOwnResults() {
  const InstructionId root = module_.entry().root;
  size_t number = 0;
  for (const InstructionId value : module_.operands(root)) {
    const auto text = hlo::GetFrontendAttribute(module_, value, sharding::kShardingAttribute);
    if (text.has_value() && hlo::GetCustomCallTarget(module_, value) == kResultCall) {
      TESSERA_ASSIGN_OR_RETURN(const auto list, sharding::ParsePerValueAttribute(*text, meshes_));
      if (list.has_value() && list->size() == 1) results_.emplace(number, InHlo(list->front()));
    }
    ++number;
  }
  return absl::OkStatus();
}

absl::Status AnnotationWriter::WriteResult(size_t number, const TensorSharding& sharding) {
  const InstructionId root = module_.entry().root;
  const bool is_tuple = module_.instruction(root).opcode == hlo::Opcode::kTuple;
  const auto results = module_.operands(root);
  const auto is_array = [&](InstructionId id) { return module_.shape(id).is_array(); };
  if (is_tuple ? !absl::c_all_of(results, is_array) : !is_array(root)) {
    return absl::UnimplementedError(
        absl::StrCat("--format=diff writes shardings of arrays that are results, and result ",
                     number, " is an array in a tuple"));
  }
  const InstructionId value = is_tuple ? results[number] : root;
  const std::string attribute = PerValue(sharding);
  results_.insert_or_assign(number, InHlo(sharding));
  const bool is_its_own = !is_tuple || absl::c_count(results, value) == 1;
  if (is_its_own && hlo::GetCustomCallTarget(module_, value) == kResultCall) {
    Write(value, attribute);
  } else {
    AddResultCall(value, number, attribute);
  }
  return absl::OkStatus();
}

void AnnotationWriter::AddResultCall(InstructionId value, size_t number,
                                     const std::string& attribute) {
  const std::string name = calls_.Add(
      value, ".result",
      absl::StrCat(
          "custom_call_target=\"", kResultCall,
          "\", custom_call_has_side_effect=true, frontend_attributes=",
          hlo::FormatFrontendAttributes({{std::string(sharding::kShardingAttribute), attribute}})));
  const InstructionId root = module_.entry().root;
  if (value != root) calls_.ReplaceOperand(root, number, name);
}

void AnnotationWriter::AddConstraint(InstructionId value, const TensorSharding& sharding) {
  const std::string name = calls_.Add(
      value, ".constraint",
      absl::StrCat("custom_call_target=\"Sharding\", sharding=", InHlo(sharding).ToString(),
                   ", frontend_attributes=",
                   hlo::FormatFrontendAttributes(
                       {{std::string(sharding::kShardingAttribute), PerValue(sharding)}})));
  calls_.ReplaceUses(value, name);
}

}  // namespace

absl::StatusOr<std::string> AnnotatedText(const hlo::Module& module, const Variant& variant) {
  if (sharding::passes::FindEncoding(module) != sharding::passes::Encoding::kSdy) {
    return absl::UnimplementedError(
        "--format=diff writes xla.sdy.sharding, and the shardings of this module stand in "
        "sharding={..}");
  }
  TESSERA_ASSIGN_OR_RETURN(MeshTable meshes, MeshesOf(module, variant.mesh));
  AnnotationWriter writer(module, std::move(meshes));
  TESSERA_RETURN_IF_ERROR(writer.WriteMesh());
  TESSERA_RETURN_IF_ERROR(writer.WriteSaid(variant.annotations));
  if (variant.ties_donated) TESSERA_RETURN_IF_ERROR(writer.WriteDonated());
  return writer.Text();
}

}  // namespace tessera::pipeline
