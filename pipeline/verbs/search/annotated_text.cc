#include "tessera/pipeline/verbs/search/annotated_text.h"

#include <algorithm>
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
#include "tessera/pipeline/writers/free_names.h"
#include "tessera/pipeline/writers/written_text.h"
#include "tessera/sharding/frontend.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/passes/import/import.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using hlo::AttributeName;
using hlo::InstructionId;
using sharding::Mesh;
using sharding::MeshId;
using sharding::MeshTable;

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
        names_(module) {}

  absl::Status WriteMesh();
  absl::Status WriteParameters(const std::vector<PatternAnnotation>& annotations);
  absl::Status WriteDonated();
  std::string Text() const { return edit_.Apply(); }

 private:
  Pairs FrontendOf(InstructionId id) const;
  // `<@mesh, [{"data"}, {}]>`; empty for none.
  absl::StatusOr<std::string> ShardingOf(InstructionId parameter) const;
  void Write(InstructionId id, const std::string& value);
  absl::Status WriteResult(size_t number, const std::string& sharding);
  void AddResultCall(InstructionId value, size_t number, const std::string& attribute);

  const hlo::Module& module_;
  const MeshTable meshes_;
  const MeshId mesh_;
  hlo::Editor edit_;
  writers::FreeNames names_;
  absl::flat_hash_map<InstructionId, std::string> written_;  // parameters
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
  if (Get(pairs, sharding::kMeshesAttribute) == text) return absl::OkStatus();
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
  edit_.RemoveAttribute(id, AttributeName::kSharding);
  edit_.SetAttribute(id, AttributeName::kFrontendAttributes, hlo::FormatFrontendAttributes(pairs));
}

absl::Status AnnotationWriter::WriteParameters(const std::vector<PatternAnnotation>& annotations) {
  TESSERA_ASSIGN_OR_RETURN(const auto said, FindAnnotated(module_, annotations));
  for (const sharding::passes::UserAnnotation& one : said) {
    const InstructionId id = one.instruction;
    const hlo::Instruction& instruction = module_.instruction(id);
    const layout::Shape& shape = module_.shape(id);
    const bool is_argument = instruction.opcode == hlo::Opcode::kParameter &&
                             instruction.computation == module_.entry_id();
    if (!is_argument || !shape.is_array()) {
      return absl::UnimplementedError(absl::StrCat(
          "--format=diff writes shardings of arrays that are arguments, and ", instruction.name,
          " is none"));
    }
    TESSERA_ASSIGN_OR_RETURN(
        const auto sharding,
        one.spec.Resolve(mesh_, meshes_.mesh(mesh_), static_cast<int>(shape.rank())));
    written_[id] = sharding::PrintSharding(sharding, meshes_);
  }
  for (const InstructionId id : module_.entry().parameters) {
    const auto found = written_.find(id);
    if (found != written_.end()) Write(id, absl::StrCat("#sdy.sharding", found->second));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> AnnotationWriter::ShardingOf(InstructionId parameter) const {
  const auto written = written_.find(parameter);
  if (written != written_.end()) return written->second;
  const auto own = hlo::GetFrontendAttribute(module_, parameter, sharding::kShardingAttribute);
  if (!own.has_value()) return "";
  TESSERA_ASSIGN_OR_RETURN(const std::string text, sharding::UnescapeAttribute(*own));
  const auto sharding = sharding::ParseShardingText(text);
  return sharding.ok() ? sharding::ToString(*sharding) : "";
}

absl::Status AnnotationWriter::WriteDonated() {
  for (const auto& [result, parameter] : DonatedOf(module_)) {
    TESSERA_ASSIGN_OR_RETURN(const std::string sharding, ShardingOf(parameter));
    if (sharding.empty()) continue;
    TESSERA_RETURN_IF_ERROR(WriteResult(static_cast<size_t>(result), sharding));
  }
  return absl::OkStatus();
}

absl::Status AnnotationWriter::WriteResult(size_t number, const std::string& sharding) {
  const InstructionId root = module_.entry().root;
  const bool is_tuple = module_.instruction(root).opcode == hlo::Opcode::kTuple;
  const auto results = module_.operands(root);
  const auto is_array = [&](InstructionId id) { return module_.shape(id).is_array(); };
  if (is_tuple ? !absl::c_all_of(results, is_array) : !is_array(root)) {
    return absl::UnimplementedError(absl::StrCat(
        "--format=diff writes shardings of arrays that are results, and result ", number,
        " is an array in a tuple"));
  }
  const InstructionId value = is_tuple ? results[number] : root;
  const std::string attribute = absl::StrCat("#sdy.sharding_per_value<[", sharding, "]>");
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
  const InstructionId root = module_.entry().root;
  const std::string name =
      edit_.Spell(names_.Unique(absl::StrCat(module_.instruction(value).name, ".result")));
  const std::string call = absl::StrCat(
      name, " = ", writers::WrittenShape(module_, value), " custom-call(", edit_.Spell(value),
      "), custom_call_target=\"", kResultCall,
      "\", custom_call_has_side_effect=true, frontend_attributes=",
      hlo::FormatFrontendAttributes({{std::string(sharding::kShardingAttribute), attribute}}));
  if (value == root) {
    edit_.SetRoot(root, false);
    edit_.InsertAfter(root, absl::StrCat("  ROOT ", call));
  } else {
    edit_.InsertAfter(value, absl::StrCat("  ", call));
    edit_.ReplaceOperand(root, number, name);
  }
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
  TESSERA_RETURN_IF_ERROR(writer.WriteParameters(variant.annotations));
  if (variant.ties_donated) TESSERA_RETURN_IF_ERROR(writer.WriteDonated());
  return writer.Text();
}

}  // namespace tessera::pipeline
