// All texts of shardings: whatever is read can be printed, and reads again as the same.

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "tessera/sharding/frontend.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/sharding/mesh_sizes.h"
#include "tessera/sharding/pspec.h"
#include "tessera/sharding/sdy_resolve.h"
#include "tessera/sharding/sdy_text.h"

namespace tessera::sharding {
namespace {

void Require(bool holds) {
  if (!holds) __builtin_trap();
}

// A grid of many devices costs time and memory and finds nothing that a small one does not.
bool IsSmall(const HloSharding& sharding) {
  for (const HloSharding& element : sharding.elements()) {
    if (!IsSmall(element)) return false;
  }
  return sharding.num_devices() <= 4096;
}

// A grid of several devices keeps its meaning on named axes. Not so a manual or unreduced group of
// several axes: their list is sorted, which forgets the order of the devices within the group.
void FuzzNamed(const HloSharding& tiled) {
  const auto named = TiledToNamedSharding(tiled);
  const auto types = tiled.subgroups();
  if (!named.ok() || tiled.num_devices() == 1) return;
  if (types.empty() || types.front() == SubgroupType::kReplicated) {
    Require(ToTiledSharding(*named).tiles() == tiled.tiles());
  }
}

void FuzzHlo(absl::string_view text) {
  const auto parsed = ParseHloSharding(text);
  if (!parsed.ok() || !IsSmall(*parsed)) return;
  const auto again = ParseHloSharding(parsed->ToString(kWithMetadata));
  Require(again.ok());
  // A grid that is nothing but a group can lose its grid when it is read a second time.
  const auto third = ParseHloSharding(again->ToString(kWithMetadata));
  Require(third.ok() && third->ToString(kWithMetadata) == again->ToString(kWithMetadata));
  const HloSharding tiled = ToTiledSharding(*parsed);
  Require(ParseHloSharding(tiled.ToString()).ok());
  if (tiled.IsTiled()) FuzzNamed(tiled);
}

void FuzzSdy(absl::string_view text) {
  const auto parsed = ParseShardingText(text);
  if (!parsed.ok()) return;
  const auto again = ParseShardingText(ToString(*parsed));
  Require(again.ok() && ToString(*again) == ToString(*parsed));
  MeshTable meshes;
  (void)*meshes.Add("m", *Mesh::Create({{"x", 8}, {"y", 6}}));
  const auto resolved = ResolveSharding(*parsed, meshes);
  if (!resolved.ok()) return;
  Require(VerifySharding(*resolved, meshes).ok());
  Require(*ParseSharding(PrintSharding(*resolved, meshes), meshes) == *resolved);
  if (meshes.mesh(resolved->mesh_id()).num_devices() <= 4096) {
    (void)ToTiledSharding(*resolved, meshes.mesh(resolved->mesh_id())).ToString();
  }
}

void FuzzOthers(absl::string_view text) {
  if (const auto spec = ParsePartitionSpec(text); spec.ok()) {
    const auto again = ParsePartitionSpec(spec->ToString());
    Require(again.ok() && again->ToString() == spec->ToString());
  }
  if (const auto mesh = ParseMesh(text); mesh.ok()) Require(*ParseMesh(PrintMesh(*mesh)) == *mesh);
  if (const auto mesh = ParseMeshSizes(text); mesh.ok()) {
    Require(*ParseMeshSizes(PrintMeshSizes(*mesh)) == *mesh);
  }
  MeshTable meshes;
  (void)ParseShardingPerValueText(text);
  (void)ParseManualAxes(text);
  (void)ParseMeshesAttribute(text);
  (void)ParseShardingAttribute(text, meshes);
  (void)ParsePerValueAttribute(text, meshes);
  (void)ParseIntAttribute(text);
}

}  // namespace
}  // namespace tessera::sharding

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  tessera::sharding::FuzzHlo(text);
  tessera::sharding::FuzzSdy(text);
  tessera::sharding::FuzzOthers(text);
  return 0;
}
