#include "tessera/pipeline/verbs/search/variants/variant_key.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/leaves.h"
#include "tessera/projection/cost/memory/entry_aliases.h"
#include "tessera/sharding/trim.h"

namespace tessera::pipeline {
namespace {

using sharding::Mesh;
using sharding::TensorSharding;

// All that makes a mesh, in one line.
std::string Spelled(const std::optional<Mesh>& mesh) {
  if (!mesh.has_value()) return "";
  std::string text = "mesh";
  for (const sharding::MeshAxis& axis : mesh->axes()) {
    absl::StrAppend(&text, ",", axis.name.size(), ":", axis.name, "=", axis.size);
  }
  return absl::StrCat(text, ";", absl::StrJoin(mesh->device_ids(), ","));
}

void AppendAxes(const sharding::AxisList& axes, std::string* out) {
  absl::StrAppend(out, "[",
                  absl::StrJoin(axes, ",",
                                [](std::string* text, const sharding::AxisRef axis) {
                                  absl::StrAppend(text, axis.bits());
                                }),
                  "]");
}

void AppendSharding(const TensorSharding& sharding, std::string* out) {
  absl::StrAppend(out, sharding.mesh_id(), "<");
  for (const sharding::DimensionSharding& dimension : sharding.dims()) {
    AppendAxes(dimension.axes, out);
    absl::StrAppend(out, dimension.is_closed ? "" : "?", "p", dimension.priority);
  }
  AppendAxes(sharding.replicated_axes(), out);
  AppendAxes(sharding.unreduced_axes(), out);
  absl::StrAppend(out, static_cast<int>(sharding.reduction()), ">");
}

using Shardings = absl::flat_hash_map<hlo::InstructionId, const TensorSharding*>;

// What a variant says of instructions, and what the module says of the others.
Shardings SaidIn(const ImportedAnnotations& imported, const VariantKey& key) {
  Shardings shardings;
  for (const auto& [id, sharding] : imported.said) shardings[id] = &sharding;
  for (const SaidOf& said : key.said) {
    if (said.spec.empty()) shardings[said.instruction] = &said.sharding;
  }
  return shardings;
}

}  // namespace

std::vector<std::pair<int, hlo::InstructionId>> DonatedOf(const hlo::Module& module) {
  std::vector<const layout::Shape*> results;
  layout::ForEachLeaf(module.shape(module.entry().root),
                      [&](const layout::Shape& leaf) { results.push_back(&leaf); });
  const auto is_array = [](const layout::Shape* leaf) { return leaf->is_array(); };
  const auto pairs = projection::EntryAliases(module);
  if (!pairs.ok() || !absl::c_all_of(results, is_array)) return {};
  std::vector<hlo::InstructionId> parameters;  // by array; kNoId for one of a tuple
  for (const hlo::InstructionId id : module.entry().parameters) {
    layout::ForEachLeaf(module.shape(id), [&](const layout::Shape& leaf) {
      if (leaf.is_array()) parameters.push_back(module.shape(id).is_array() ? id : hlo::kNoId);
    });
  }
  std::vector<std::pair<int, hlo::InstructionId>> donated;
  for (const auto& [result, parameter] : *pairs) {
    const hlo::InstructionId id = parameters[static_cast<size_t>(parameter)];
    if (id == hlo::kNoId) continue;
    const layout::Shape& shape = *results[static_cast<size_t>(result)];
    if (shape.dims() == module.shape(id).dims()) donated.emplace_back(result, id);
  }
  return donated;
}

std::string KeyText(const VariantKey& key) {
  std::string out = absl::StrCat(key.mesh, key.ties_donated ? ";tied;" : ";free;");
  for (const SaidOf& said : key.said) {
    absl::StrAppend(&out, said.instruction, ":", said.spec);
    if (said.spec.empty()) AppendSharding(said.sharding, &out);
    absl::StrAppend(&out, ";");
  }
  return out;
}

VariantKeys::VariantKeys(const hlo::Module& module, ShardOptions options)
    : module_(module), options_(std::move(options)), donated_(DonatedOf(module)) {}

const ImportedAnnotations* VariantKeys::ImportedOn(const Variant& variant,
                                                   const std::string& mesh) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [it, is_new] = imported_.try_emplace(mesh);
  if (!is_new) return it->second.get();
  ShardOptions options = options_;
  options.mesh = variant.mesh;
  options.annotations.clear();
  it->second = ImportAnnotations(module_, options);
  return it->second.get();
}

const VariantKeys::Ids* VariantKeys::Matches(const PatternAnnotation& annotation) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [it, is_new] = matches_.try_emplace(annotation.pattern);
  if (is_new) {
    const auto found = FindAnnotated(module_, {annotation});
    if (found.ok()) {
      it->second = std::make_unique<Ids>();
      for (const auto& one : *found) it->second->push_back(one.instruction);
    }
  }
  return it->second.get();
}

std::optional<VariantKey> VariantKeys::Of(const Variant& variant) const {
  VariantKey key;
  key.mesh = Spelled(variant.mesh);
  key.ties_donated = variant.ties_donated && !donated_.empty();
  const ImportedAnnotations* imported = ImportedOn(variant, key.mesh);
  if (imported == nullptr) return std::nullopt;
  absl::flat_hash_map<hlo::InstructionId, size_t> places;
  bool only_said = true;
  for (const PatternAnnotation& annotation : variant.annotations) {
    const Ids* ids = Matches(annotation);
    if (ids == nullptr) return std::nullopt;
    for (const hlo::InstructionId id : *ids) {
      only_said &=
          module_.instruction(id).opcode == hlo::Opcode::kParameter || imported->said.contains(id);
      SaidOf said = {id, {}, ""};
      if (module_.shape(id).is_array() && imported->id != sharding::kNoMesh) {
        const auto resolved = annotation.spec.Resolve(imported->id, imported->mesh,
                                                      static_cast<int>(module_.shape(id).rank()));
        if (!resolved.ok()) return std::nullopt;
        said.sharding = RemoveSizeOneAxes(*resolved, imported->mesh);
      } else {
        said.spec = annotation.spec.ToString();
      }
      // The last one of an instruction counts, in the place of the first.
      const auto [place, is_new] = places.try_emplace(id, key.said.size());
      if (is_new) key.said.emplace_back();
      key.said[place->second] = std::move(said);
    }
  }
  if (!only_said) return key;
  // A sharding in the place of an equal one changes nothing, and the order neither.
  key.said.erase(std::remove_if(key.said.begin(), key.said.end(),
                                [&](const SaidOf& said) {
                                  const auto own = imported->said.find(said.instruction);
                                  return said.spec.empty() && own != imported->said.end() &&
                                         own->second == said.sharding;
                                }),
                 key.said.end());
  absl::c_sort(key.said,
               [](const SaidOf& a, const SaidOf& b) { return a.instruction < b.instruction; });
  return key;
}

std::vector<ConstraintSaid> VariantKeys::ConstraintsOn(const Variant& variant) const {
  std::vector<ConstraintSaid> constraints;
  const ImportedAnnotations* imported = ImportedOn(variant, Spelled(variant.mesh));
  if (imported == nullptr || imported->id == sharding::kNoMesh) return constraints;
  for (const hlo::InstructionId id : imported->constraints) {
    const auto spec = sharding::ToPartitionSpec(imported->said.at(id), imported->mesh);
    if (spec.has_value() && module_.shape(id).is_array()) constraints.push_back({id, *spec});
  }
  return constraints;
}

int64_t VariantKeys::UnevenArguments(const Variant& variant) const {
  const std::optional<VariantKey> key = Of(variant);
  if (!key.has_value()) return 0;
  const ImportedAnnotations& imported = *ImportedOn(variant, key->mesh);
  if (imported.id == sharding::kNoMesh) return 0;
  const Shardings shardings = SaidIn(imported, *key);
  return absl::c_count_if(module_.entry().parameters, [&](hlo::InstructionId id) {
    const auto said = shardings.find(id);
    const layout::Shape& shape = module_.shape(id);
    return said != shardings.end() && shape.is_array() &&
           EvenlySharded(*said->second, imported.mesh, shape.dims()) != *said->second;
  });
}

ComputationSet VariantKeys::InShardMaps(const Variant& variant) const {
  const ImportedAnnotations* imported = ImportedOn(variant, Spelled(variant.mesh));
  return imported == nullptr ? ComputationSet() : imported->in_shard_maps;
}

std::vector<sharding::passes::AnnotationEdit> VariantKeys::TiesOf(const Variant& variant) const {
  std::vector<sharding::passes::AnnotationEdit> ties;
  const std::optional<VariantKey> key = Of(variant);
  if (!variant.ties_donated || !key.has_value()) return ties;
  const Shardings shardings = SaidIn(*ImportedOn(variant, key->mesh), *key);
  for (const auto& [result, parameter] : donated_) {
    const auto found = shardings.find(parameter);
    if (found == shardings.end()) continue;
    sharding::passes::AnnotationEdit tie;
    tie.where = sharding::passes::AnnotationEdit::Where::kResult;
    tie.number = result;
    tie.sharding = *found->second;
    ties.push_back(std::move(tie));
  }
  return ties;
}

}  // namespace tessera::pipeline
