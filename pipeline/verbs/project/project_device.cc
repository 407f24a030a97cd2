#include "tessera/pipeline/verbs/project/project_device.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/element_bytes.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/projection/cost/demand/device_tiles.h"
#include "tessera/projection/cost/demand/reduction_strategies.h"
#include "tessera/sharding/device_tiles.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using projection::Signature;
using projection::ZRange;

absl::StatusOr<int64_t> PositionOf(const sharding::DeviceGrid& grid, const std::string& text) {
  int64_t device;
  if (absl::SimpleAtoi(text, &device)) {
    for (int64_t position = 0; position < grid.num_devices(); ++position) {
      if (grid.DeviceAt(position) == device) return position;
    }
  }
  return BadFlag("device", text,
                 absl::StrCat("the number of one of ", grid.num_devices(), " devices"));
}

std::string NamesOf(absl::Span<const sharding::AxisRef> axes, const sharding::Mesh& mesh) {
  return absl::StrJoin(axes, ", ", [&](std::string* out, sharding::AxisRef axis) {
    *out += sharding::AxisRefToString(axis, mesh);
  });
}

// Nothing where the sets of cells have too many pieces to be counted for all devices.
std::optional<DeviceTraffic> TrafficOf(const ArrayRef& of, const ShardingLookup& placement,
                                       const sharding::DeviceGrid& grid) {
  const auto placed = [&](hlo::InstructionId id, int leaf) { return placement.Of(id, leaf); };
  std::vector<const sharding::TensorSharding*> operands;
  for (const Entry& entry : EntriesOf(of)) operands.push_back(placed(entry.operand, entry.leaf));
  const auto forms =
      projection::FormsOf(of.module, of.id, of.leaf, grid, operands, placed(of.id, of.leaf));
  if (!forms.ok()) return std::nullopt;
  DeviceTraffic traffic;
  traffic.missing_bytes = forms->gather.total_bytes;
  traffic.padded_bytes = forms->gather.padded_bytes;
  if (!forms->partial.has_value()) return traffic;
  const projection::PartialForm& partial = *forms->partial;
  traffic.partial =
      DeviceTraffic::Partial{NamesOf(partial.axes, *placement.mesh()), partial.group,
                             partial.tile_bytes, partial.combine_bytes, partial.demand.total_bytes};
  return traffic;
}

}  // namespace

absl::StatusOr<ShardingLookup> PlaceModule(const hlo::Module& module, const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(ShardOptions options, ReadOptionsToShow(arguments));
  TESSERA_ASSIGN_OR_RETURN(ShardingLookup placement, ShardingLookup::Create(module, options));
  if (placement.mesh() == nullptr)
    return absl::InvalidArgumentError("--device needs a mesh: --mesh=data=4,model=2");
  return placement;
}

// In the module with shardings, where calls are what they called.
absl::StatusOr<NamedArray> FindPlaced(const hlo::Module& module, const ShardingLookup& placement,
                                      const std::string& name) {
  absl::StatusOr<NamedArray> placed = FindArray(placement.module(), name);
  if (placed.ok() || !FindArray(module, name).ok()) return placed;
  return absl::NotFoundError(absl::StrCat(
      "'", name, "' is not in the module that the sharding pass gets: it was a call, or inside of ",
      "one, and calls are inlined; `tessera shardings` lists what is there"));
}

absl::StatusOr<DeviceTiles> DeviceTiles::Create(const ShardingLookup& placement,
                                                const Arguments& arguments) {
  DeviceTiles tiles(placement);
  TESSERA_ASSIGN_OR_RETURN(tiles.position_, PositionOf(tiles.grid_, arguments.Get("device")));
  return tiles;
}

absl::StatusOr<ZRange> DeviceTiles::Of(const projection::ZPoint& shape, hlo::InstructionId id,
                                       int leaf) const {
  const auto* placed = placement_.Of(id, leaf);
  return placed == nullptr ? ZRange::FromShape(shape)
                           : projection::TileBox(grid_, shape, *placed, position_);
}

absl::Status DeviceTiles::AddTo(const ArrayRef& array, const layout::Shape& shape,
                                ProjectedOperand* o) const {
  TESSERA_ASSIGN_OR_RETURN(o->own, Of(o->shape, array.id, array.leaf));
  TESSERA_ASSIGN_OR_RETURN(o->missing, o->need.cells.Subtract(projection::ZSet::OfBox(*o->own)));
  TESSERA_ASSIGN_OR_RETURN(const int64_t cells, o->missing.size());
  o->missing_bytes = layout::ElementBytes(shape, cells);
  return absl::OkStatus();
}

absl::Status AnswerDevice(const ArrayRef& of, const ShardingLookup& placement,
                          const DeviceTiles& tiles, ProjectAnswer* answer) {
  const Signature& s = answer->signature;
  TESSERA_ASSIGN_OR_RETURN(const ZRange block, tiles.Of(s.index.shape(), of.id, of.leaf));
  TESSERA_ASSIGN_OR_RETURN(ProjectedBlock out, Regions(of, s, block));
  const std::vector<Entry> entries = EntriesOf(of);
  for (size_t k = 0; k < entries.size(); ++k) {
    TESSERA_RETURN_IF_ERROR(tiles.AddTo({of.module, entries[k].operand, entries[k].leaf},
                                        *entries[k].shape, &out.operands[k]));
  }
  answer->blocks.push_back(std::move(out));
  answer->traffic = TrafficOf(of, placement, tiles.grid());
  return absl::OkStatus();
}

}  // namespace tessera::pipeline
