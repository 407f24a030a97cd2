#include "tessera/sharding/geometry.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {
namespace {

absl::Status Misfit(const HloSharding& sharding, const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat(sharding.ToString(), ": ", why));
}

bool HasDevice(const TileAssignment& tiles, int64_t device) {
  if (tiles.is_iota()) return device >= 0 && device < tiles.num_devices();
  const std::vector<int64_t> devices = tiles.Devices();
  return std::find(devices.begin(), devices.end(), device) != devices.end();
}

absl::Status ValidateTiles(const HloSharding& sharding, size_t rank, int64_t num_devices) {
  const TileAssignment& tiles = sharding.tiles();
  const int64_t count = tiles.num_devices();
  if (count == 1) return Misfit(sharding, "a grid of one device; write {maximal device=N}");
  if (static_cast<size_t>(sharding.data_rank()) != rank) {
    return Misfit(sharding, absl::StrCat("it splits ", sharding.data_rank(),
                                         " dimensions, the value has ", rank));
  }
  if (count != num_devices) {
    return Misfit(sharding,
                  absl::StrCat("it has ", count, " devices, the program has ", num_devices));
  }
  if (tiles.is_iota()) return absl::OkStatus();
  for (int64_t device : tiles.Devices()) {
    if (device >= num_devices) return Misfit(sharding, absl::StrCat("there is no device ", device));
  }
  return absl::OkStatus();
}

absl::Status ValidateLeaf(const HloSharding& sharding, const ShardedLeaf& leaf,
                          int64_t num_devices) {
  if (sharding.IsTuple()) return Misfit(sharding, "a tuple sharding for a single array");
  if (!leaf.is_array) return absl::OkStatus();
  if (sharding.IsNamed() && !sharding.IsMaximal() && !sharding.IsReplicated() &&
      sharding.num_devices() != num_devices) {
    return Misfit(sharding, absl::StrCat("it has ", sharding.num_devices(),
                                         " devices, the program has ", num_devices));
  }
  if (sharding.IsTiled()) return ValidateTiles(sharding, leaf.dimensions.size(), num_devices);
  if (sharding.IsReplicated()) return absl::OkStatus();
  const HloSharding tiled = ToTiledSharding(sharding);
  if (tiled.IsTiled()) return ValidateTiles(tiled, leaf.dimensions.size(), num_devices);
  if (!tiled.IsMaximal() || (tiled.device() >= 0 && tiled.device() < num_devices)) {
    return absl::OkStatus();
  }
  return Misfit(sharding, absl::StrCat("there is no device ", tiled.device()));
}

}  // namespace

std::vector<int64_t> TileShape(const HloSharding& sharding, absl::Span<const int64_t> dimensions) {
  std::vector<int64_t> tile(dimensions.begin(), dimensions.end());
  if (sharding.IsNamed()) {  // its grid of devices need not be made
    const NamedSharding& named = sharding.named();
    for (size_t d = 0; d < tile.size() && d < named.dims.size(); ++d) {
      tile[d] = TileSize(tile[d], ShardedSize(named.dims[d].axes, named.mesh));
    }
    return tile;
  }
  const HloSharding tiled = ToTiledSharding(sharding);
  if (!tiled.IsTiled()) return tile;
  for (size_t d = 0; d < tile.size(); ++d) {
    tile[d] = TileSize(tile[d], tiled.tiles().dims()[d]);
  }
  return tile;
}

absl::StatusOr<std::vector<TileRange>> TileOfDevice(const HloSharding& sharding,
                                                    absl::Span<const int64_t> dimensions,
                                                    int64_t device) {
  const HloSharding tiled = ToTiledSharding(sharding);
  std::vector<TileRange> out;
  if (!tiled.IsTiled()) {
    if (tiled.IsMaximal() && tiled.device() != device) {
      return Misfit(sharding, absl::StrCat("it does not name device ", device));
    }
    for (int64_t size : dimensions) out.push_back({0, size});
    return out;
  }
  if (!HasDevice(tiled.tiles(), device)) {
    return Misfit(sharding, absl::StrCat("it does not name device ", device));
  }
  const Dims index = tiled.tiles().IndexOf(device);
  for (size_t d = 0; d < dimensions.size(); ++d) {
    out.push_back(TileOfPart(dimensions[d], tiled.tiles().dims()[d], index[d]));
  }
  return out;
}

absl::Status ValidateSharding(const HloSharding& sharding, bool is_tuple,
                              absl::Span<const ShardedLeaf> leaves, int64_t num_devices) {
  if (!is_tuple) {
    return leaves.empty() ? absl::OkStatus() : ValidateLeaf(sharding, leaves[0], num_devices);
  }
  if (!sharding.IsTuple()) return Misfit(sharding, "the value is a tuple, the sharding is not");
  const std::vector<HloSharding>& elements = sharding.elements();
  if (leaves.empty() && elements.size() <= 1) return absl::OkStatus();
  if (elements.size() != leaves.size()) {
    return Misfit(sharding, absl::StrCat("it has ", elements.size(), " elements, the value has ",
                                         leaves.size(), " leaves"));
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    TESSERA_RETURN_IF_ERROR(ValidateLeaf(elements[i], leaves[i], num_devices));
  }
  return absl::OkStatus();
}

}  // namespace tessera::sharding
