#include "tessera/testing/evaluator/devices.h"

#include <optional>

#include "tessera/projection/split.h"
#include "tessera/sharding/hlo_sharding.h"
#include "tessera/sharding/hlo_sharding_text.h"

namespace tessera::testing::evaluator {
namespace {

// Of one array: a tuple's sharding has one element for each leaf, or stands for all of them.
std::optional<sharding::HloSharding> ShardingOf(const hlo::Module& module, hlo::InstructionId id,
                                                int leaf) {
  const auto text = module.FindAttribute(id, hlo::AttributeName::kSharding);
  if (!text.has_value()) return std::nullopt;
  const absl::StatusOr<sharding::HloSharding> sharding = sharding::ParseHloSharding(*text);
  if (!sharding.ok()) return std::nullopt;
  if (!sharding->IsTuple()) return *sharding;
  if (leaf >= static_cast<int>(sharding->elements().size())) return std::nullopt;
  return sharding->elements()[static_cast<size_t>(leaf)];
}

}  // namespace

std::vector<ZRange> CutByDevices(const hlo::Module& module, hlo::InstructionId id, int leaf,
                                 const ZPoint& dims) {
  const std::optional<sharding::HloSharding> sharding = ShardingOf(module, id, leaf);
  ZPoint parts = ZPoint::Filled(dims.rank(), 1);
  if (sharding.has_value() && sharding->IsTiled() && sharding->data_rank() == dims.rank()) {
    for (int d = 0; d < dims.rank(); ++d) parts[d] = sharding->tiles().dim(d);
  }
  return projection::SplitGrid(ZRange::FromShape(dims), parts).value_or(std::vector<ZRange>());
}

}  // namespace tessera::testing::evaluator
