#include "tessera/pipeline/placement.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/parser.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {

absl::StatusOr<Placement> Placement::Create(const hlo::Module& module,
                                            const ShardOptions& options) {
  Placement placement;
  TESSERA_RETURN_IF_ERROR(placement.Read(module, options));
  const bool may_be_plain = options.import == sharding::graph::Encoding::kAuto;
  if (placement.mesh() != nullptr || !may_be_plain) return placement;
  ShardOptions by_attributes = options;
  by_attributes.import = sharding::graph::Encoding::kPlain;
  TESSERA_RETURN_IF_ERROR(placement.Read(module, by_attributes));
  return placement;
}

absl::Status Placement::Read(const hlo::Module& module, const ShardOptions& options) {
  ShardOptions named = options;
  named.format = Format::kV3;
  TESSERA_ASSIGN_OR_RETURN(const ShardResult result, ShardModule(module, named));
  TESSERA_ASSIGN_OR_RETURN(module_, hlo::ParseModule(result.text, "<sharded>"));
  for (hlo::InstructionId id = 0; id < module_.num_instructions(); ++id) {
    TESSERA_RETURN_IF_ERROR(ReadInstruction(id));
  }
  return absl::OkStatus();
}

absl::Status Placement::ReadInstruction(hlo::InstructionId id) {
  const auto text = module_.FindAttribute(id, hlo::AttributeName::kSharding);
  if (!text.has_value()) return absl::OkStatus();
  TESSERA_ASSIGN_OR_RETURN(const sharding::HloSharding sharding,
                           sharding::ParseHloSharding(std::string(*text)));
  std::vector<sharding::TensorSharding>& leaves = shardings_[id];
  const auto add = [&](const sharding::HloSharding& leaf) -> absl::Status {
    leaves.emplace_back(sharding::kNoMesh);
    if (leaf.IsReplicated() || !(leaf.IsNamed() || leaf.IsMaximal())) return absl::OkStatus();
    TESSERA_ASSIGN_OR_RETURN(sharding::TensorSharding s,
                             sharding::NamedToTensorSharding(leaf, meshes_));
    const sharding::Mesh& mesh = meshes_.mesh(s.mesh_id());
    if (!mesh_.has_value() && mesh.num_axes() > 0) mesh_ = mesh;
    const bool is_cut = s.rank() > 0 && *mesh_ == mesh;  // a manual one has no dimensions
    if (mesh.is_maximal() || is_cut) leaves.back() = std::move(s);
    return absl::OkStatus();
  };
  if (!sharding.IsTuple()) return add(sharding);
  for (const sharding::HloSharding& leaf : sharding.elements()) {
    TESSERA_RETURN_IF_ERROR(add(leaf));
  }
  return absl::OkStatus();
}

const sharding::TensorSharding* Placement::Of(absl::string_view name, int leaf) const {
  const auto found = shardings_.find(module_.FindInstruction(name));
  if (found == shardings_.end() || found->second.empty()) return nullptr;
  const std::vector<sharding::TensorSharding>& leaves = found->second;
  const size_t place = leaves.size() == 1 ? 0 : static_cast<size_t>(leaf);
  if (place >= leaves.size() || leaves[place].mesh_id() == sharding::kNoMesh) return nullptr;
  return &leaves[place];
}

}  // namespace tessera::pipeline
