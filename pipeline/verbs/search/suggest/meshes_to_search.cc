#include "tessera/pipeline/verbs/search/suggest/meshes_to_search.h"

#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::Mesh;

constexpr size_t kMaxMeshes = 100;

// All sizes of the axes from number `a` on whose product is `devices`, the first axis largest first.
absl::Status AddMeshes(int64_t devices, size_t a, std::vector<sharding::MeshAxis>* axes,
                       std::vector<Mesh>* meshes) {
  if (a + 1 == axes->size()) {
    (*axes)[a].size = devices;
    TESSERA_ASSIGN_OR_RETURN(Mesh mesh, Mesh::Create(*axes));
    meshes->push_back(std::move(mesh));
    return absl::OkStatus();
  }
  for (int64_t rest = 1; rest <= devices && meshes->size() <= kMaxMeshes; ++rest) {
    if (devices % rest != 0) continue;
    (*axes)[a].size = devices / rest;
    TESSERA_RETURN_IF_ERROR(AddMeshes(rest, a + 1, axes, meshes));
  }
  return absl::OkStatus();
}

// data=8; data=4,model=2; data=2,model=4.
absl::StatusOr<std::vector<Mesh>> MeshesOfDataAndModel(int64_t devices) {
  std::vector<Mesh> meshes;
  for (int64_t model = 1; model < devices || model == 1; ++model) {
    if (devices % model != 0) continue;
    std::vector<sharding::MeshAxis> axes = {{"data", devices / model}};
    if (model > 1) axes.push_back({"model", model});
    TESSERA_ASSIGN_OR_RETURN(Mesh mesh, Mesh::Create(std::move(axes)));
    meshes.push_back(std::move(mesh));
  }
  return meshes;
}

// Constraints of the module name the axes of its mesh: x=8,y=1; x=4,y=2; x=2,y=4; x=1,y=8.
absl::StatusOr<std::vector<Mesh>> MeshesOf(int64_t devices, const std::optional<Mesh>& own) {
  if (!own.has_value() || own->num_axes() == 0) return MeshesOfDataAndModel(devices);
  std::vector<sharding::MeshAxis> axes(own->axes().begin(), own->axes().end());
  std::vector<Mesh> meshes;
  TESSERA_RETURN_IF_ERROR(AddMeshes(devices, 0, &axes, &meshes));
  if (meshes.size() <= kMaxMeshes) return meshes;
  return absl::InvalidArgumentError(absl::StrCat("--devices=", devices, ": the ", axes.size(),
                                                 " axes of the module's mesh give ", "more than ",
                                                 kMaxMeshes, " meshes; give one with --mesh"));
}

}  // namespace

absl::StatusOr<MeshesToSearch> ReadMeshes(const Arguments& arguments, const ShardOptions& options,
                                          const hlo::Module& module) {
  if (options.mesh.has_value() && arguments.Has("devices")) {
    return absl::InvalidArgumentError("--mesh and --devices both define the devices: give one");
  }
  if (options.mesh.has_value()) return MeshesToSearch{{*options.mesh}, std::nullopt};
  int64_t devices = 0;
  if (arguments.Has("devices")) {
    TESSERA_ASSIGN_OR_RETURN(devices, arguments.Count("devices", 1));
    if (devices > Mesh::kMaxDevices) {
      return absl::InvalidArgumentError(
          absl::StrCat("--devices=", devices, ": at most ", Mesh::kMaxDevices));
    }
  }
  ShardOptions own = options;
  if (devices > 0) own.annotations.clear();  // they may name axes that only the new meshes have
  TESSERA_ASSIGN_OR_RETURN(const PartitionerInput input,
                           PreparePartitionerInput(module, own, ShardingState::kToPropagate));
  if (devices > 0) {
    TESSERA_ASSIGN_OR_RETURN(std::vector<Mesh> meshes, MeshesOf(devices, input.mesh));
    const bool is_one = input.mesh.has_value() && absl::c_linear_search(meshes, *input.mesh);
    return MeshesToSearch{std::move(meshes), is_one ? input.mesh : std::nullopt};
  }
  if (input.mesh.has_value()) return MeshesToSearch{{*input.mesh}, std::nullopt};
  return absl::InvalidArgumentError(
      "the module names no mesh; --mesh=data=4,model=2 or --devices=8 does");
}

}  // namespace tessera::pipeline
