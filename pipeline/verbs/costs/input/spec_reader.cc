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

// Null for what is no array.
const layout::Shape* ArrayAt(const layout::Shape& shape, size_t leaf) {
  const layout::Shape* found = nullptr;
  size_t at = 0;
  layout::ForEachLeaf(shape, [&](const layout::Shape& one) {
    if (at++ == leaf && one.is_array()) found = &one;
  });
  return found;
}

std::optional<HloSharding> LeafOf(const hlo::Module& module, InstructionId id, size_t leaf) {
  const auto text = module.FindAttribute(id, hlo::AttributeName::kSharding);
  if (!text.has_value()) return std::nullopt;
  auto sharding = sharding::ParseHloSharding(*text);
  if (!sharding.ok()) return std::nullopt;
  if (!sharding->IsTuple()) return *std::move(sharding);
  if (leaf >= sharding->elements().size()) return std::nullopt;
  return sharding->elements()[leaf];
}

}  // namespace

SpecReader::SpecReader(const PartitionerInput& input) : module_(input.module) {
  if (!input.mesh.has_value()) return;
  auto importer = sharding::HloImporter::OnMesh(*input.mesh);
  if (importer.ok()) importer_ = *std::move(importer);
}

std::optional<TensorSharding> SpecReader::ShardingOf(InstructionId id, size_t leaf) {
  if (id == hlo::kNoId || !importer_.has_value()) return std::nullopt;
  const layout::Shape* array = ArrayAt(module_.shape(id), leaf);
  const std::optional<HloSharding> said = LeafOf(module_, id, leaf);
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
  if (id == hlo::kNoId || ArrayAt(module_.shape(id), leaf) == nullptr) return "";
  const std::optional<HloSharding> said = LeafOf(module_, id, leaf);
  return said.has_value() ? said->ToString() : "";
}

}  // namespace tessera::pipeline
