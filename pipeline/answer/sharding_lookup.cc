#include "tessera/pipeline/answer/sharding_lookup.h"

#include <utility>

#include "tessera/hlo/parser.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {

absl::StatusOr<ShardingLookup> ShardingLookup::Create(const hlo::Module& module,
                                                      const ShardOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(ShardingLookup placement, Read(module, options));
  const bool may_be_plain = options.import == sharding::passes::Encoding::kAuto;
  if (placement.mesh() != nullptr || !may_be_plain) return placement;
  ShardOptions by_attributes = options;
  by_attributes.import = sharding::passes::Encoding::kGspmd;
  return Read(module, by_attributes);
}

absl::StatusOr<ShardingLookup> ShardingLookup::Read(const hlo::Module& module,
                                                    const ShardOptions& options) {
  ShardOptions named = options;
  named.format = Format::kV3;
  ShardingLookup placement;
  TESSERA_ASSIGN_OR_RETURN(const ShardResult result, ShardModule(module, named));
  TESSERA_ASSIGN_OR_RETURN(placement.module_, hlo::ParseModule(result.text, "<sharded>"));
  const hlo::Module& sharded = placement.module_;
  for (hlo::InstructionId id = 0; id < sharded.num_instructions(); ++id) {
    const auto text = sharded.FindAttribute(id, hlo::AttributeName::kSharding);
    if (text.has_value()) TESSERA_RETURN_IF_ERROR(placement.ReadText(*text));
  }
  return placement;
}

absl::Status ShardingLookup::ReadText(absl::string_view text) {
  const auto [it, is_new] = leaves_.try_emplace(std::string(text));
  if (!is_new) return absl::OkStatus();
  TESSERA_ASSIGN_OR_RETURN(const sharding::HloSharding sharding,
                           sharding::ParseHloSharding(it->first));
  if (!sharding.IsTuple()) return AddLeaf(sharding, &it->second);
  for (const sharding::HloSharding& leaf : sharding.elements()) {
    TESSERA_RETURN_IF_ERROR(AddLeaf(leaf, &it->second));
  }
  return absl::OkStatus();
}

absl::Status ShardingLookup::AddLeaf(const sharding::HloSharding& leaf, Leaves* leaves) {
  leaves->emplace_back(sharding::kNoMesh);
  if (leaf.IsReplicated() || !(leaf.IsNamed() || leaf.IsMaximal())) return absl::OkStatus();
  TESSERA_ASSIGN_OR_RETURN(sharding::TensorSharding s,
                           sharding::NamedToTensorSharding(leaf, meshes_));
  const sharding::Mesh& mesh = meshes_.mesh(s.mesh_id());
  if (!mesh_.has_value() && mesh.num_axes() > 0) mesh_ = mesh;
  const bool is_cut = s.rank() > 0 && *mesh_ == mesh;  // a manual one has no dimensions
  if (mesh.is_maximal() || is_cut) leaves->back() = std::move(s);
  return absl::OkStatus();
}

const sharding::TensorSharding* ShardingLookup::Of(hlo::InstructionId id, int leaf) const {
  const auto text = module_.FindAttribute(id, hlo::AttributeName::kSharding);
  if (!text.has_value()) return nullptr;
  const Leaves& leaves = leaves_.at(*text);
  const size_t place = leaves.size() == 1 ? 0 : static_cast<size_t>(leaf);
  if (place >= leaves.size() || leaves[place].mesh_id() == sharding::kNoMesh) return nullptr;
  return &leaves[place];
}

}  // namespace tessera::pipeline
