#include "tessera/pipeline/verbs/costs/input/spec_reader.h"

#include <utility>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/layout/shape.h"
#include "tessera/pipeline/answer/spec_text.h"
#include "tessera/sharding/hlo_sharding.h"
#include "tessera/sharding/hlo_sharding_text.h"

namespace tessera::pipeline {
namespace {

using hlo::InstructionId;
using sharding::HloSharding;
using sharding::TensorSharding;

}  // namespace

void SpecReader::Know(InstructionId id) {
  if (known_.id == id) return;
  known_ = {id, {}, std::nullopt};
  layout::ForEachLeaf(module_.shape(id),
                      [&](const layout::Shape& leaf) { known_.leaves.push_back(&leaf); });
  const auto text = module_.FindAttribute(id, hlo::AttributeName::kSharding);
  if (!text.has_value()) return;
  auto sharding = sharding::ParseHloSharding(*text);
  if (sharding.ok()) known_.sharding = *std::move(sharding);
}

const layout::Shape* SpecReader::ArrayAt(size_t leaf) const {
  const bool is_array = leaf < known_.leaves.size() && known_.leaves[leaf]->is_array();
  return is_array ? known_.leaves[leaf] : nullptr;
}

std::optional<HloSharding> SpecReader::LeafOf(size_t leaf) const {
  if (!known_.sharding.has_value() || !known_.sharding->IsTuple()) return known_.sharding;
  if (leaf >= known_.sharding->elements().size()) return std::nullopt;
  return known_.sharding->elements()[leaf];
}

SpecReader::SpecReader(const PartitionerInput& input) : module_(input.module) {
  if (!input.mesh.has_value()) return;
  auto importer = sharding::HloImporter::OnMesh(*input.mesh);
  if (importer.ok()) importer_ = *std::move(importer);
}

std::optional<TensorSharding> SpecReader::ShardingOf(InstructionId id, size_t leaf) {
  if (id == hlo::kNoId || !importer_.has_value()) return std::nullopt;
  Know(id);
  const layout::Shape* array = ArrayAt(leaf);
  const std::optional<HloSharding> said = LeafOf(leaf);
  if (array == nullptr || !said.has_value()) return std::nullopt;
  auto found = importer_->Import(*said, static_cast<int>(array->rank()), /*is_open=*/false);
  if (!found.ok() || found->mesh_id() != 0) return std::nullopt;
  return *std::move(found);
}

std::string SpecReader::SpecOf(const TensorSharding& sharding) const {
  return SpecText(sharding, importer_->meshes());
}

std::string SpecReader::SpecOf(InstructionId id, size_t leaf) {
  const std::optional<TensorSharding> sharding = ShardingOf(id, leaf);
  if (sharding.has_value()) return SpecOf(*sharding);
  if (id == hlo::kNoId) return "";
  Know(id);
  if (ArrayAt(leaf) == nullptr) return "";
  const std::optional<HloSharding> said = LeafOf(leaf);
  return said.has_value() ? said->ToString() : "";
}

std::vector<std::string> SpecReader::AxesOf(InstructionId id, size_t leaf) {
  std::vector<std::string> names;
  const std::optional<TensorSharding> sharding = ShardingOf(id, leaf);
  if (!sharding.has_value()) return names;
  const sharding::Mesh& mesh = importer_->meshes().mesh(sharding->mesh_id());
  for (int axis = 0; axis < mesh.num_axes(); ++axis) {
    if (sharding->UsesAxis(axis)) names.push_back(mesh.axis(axis).name);
  }
  return names;
}

}  // namespace tessera::pipeline
