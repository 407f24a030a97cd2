#include "tessera/testing/partition/device_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/layout/element_type.h"
#include "tessera/layout/leaves.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/modules/inputs.h"
#include "tessera/testing/evaluator/rounding.h"
#include "tessera/testing/evaluator/sharded/spmd.h"

namespace tessera::testing {
namespace {

using evaluator::Array;
using evaluator::Cell;
using evaluator::Value;
using evaluator::ZPoint;
using sharding::HloSharding;

// One leaf of a sharding; replicated where nothing is said.
HloSharding LeafOf(const hlo::Module& module, hlo::InstructionId id, size_t leaf) {
  const auto text = module.FindAttribute(id, hlo::AttributeName::kSharding);
  const auto all = sharding::ParseHloSharding(text.value_or("{replicated}"));
  const HloSharding one = all->IsTuple() ? all->elements()[leaf] : *all;
  return one.IsNamed() ? sharding::ToTiledSharding(one) : one;
}

// Where the shard of a device begins, and how large shards are.
struct Tile {
  ZPoint start, size;
};

Tile TileOf(const HloSharding& sharding, const ZPoint& dims, int64_t device) {
  Tile tile = {ZPoint::Filled(dims.rank(), 0), dims};
  if (!sharding.IsTiled()) return tile;
  const auto index = sharding.tiles().IndexOf(device);
  for (int d = 0; d < dims.rank(); ++d) {
    const int64_t cuts = sharding.tiles().dim(d);
    tile.size[d] = (dims[d] + cuts - 1) / cuts;
    tile.start[d] = index[static_cast<size_t>(d)] * tile.size[d];
  }
  return tile;
}

Cell Poison(layout::ElementType type) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return evaluator::Fit(type, layout::IsInteger(type) ? Cell{100, 0, 0} : Cell{1, nan, nan});
}

// Calls `visit(linear in the shard, linear in the whole or -1)` for each cell of a shard.
template <typename Visit>
void ForEachCell(const Tile& tile, const ZPoint& dims, Visit visit) {
  int64_t cells = 1;
  for (int64_t size : tile.size) cells *= size;
  for (int64_t k = 0; k < cells; ++k) {
    ZPoint at = tile.size;
    bool inside = true;
    int64_t rest = k;
    for (int d = dims.rank(); d-- > 0;) {
      at[d] = tile.start[d] + rest % tile.size[d];
      rest /= tile.size[d];
      inside &= at[d] < dims[d];
    }
    visit(k, inside ? evaluator::LinearOf(at, dims) : -1);
  }
}

Array ShardOf(const Array& whole, const HloSharding& sharding, int64_t device) {
  const Tile tile = TileOf(sharding, whole.dims, device);
  Array out = evaluator::MakeArray(whole.type, tile.size);
  ForEachCell(tile, whole.dims, [&](int64_t k, int64_t from) {
    out.cells[k] = from < 0 ? Poison(whole.type) : whole.cells[from];
  });
  return out;
}

double Distance(const Cell& a, const Cell& b) {
  if (std::isnan(a.re) != std::isnan(b.re)) return std::numeric_limits<double>::infinity();
  const auto of = [](double x, double y) { return x == y || std::isnan(x) ? 0 : std::abs(x - y); };
  return std::max(of(a.re, b.re), of(a.im, b.im));
}

std::optional<std::string> Difference(const Array& whole, const Array& shard,
                                      const HloSharding& sharding, int64_t device, double share) {
  const bool is_exact = !layout::IsFloat(whole.type) && !layout::IsComplex(whole.type);
  const double largest = evaluator::LargestOf(whole);
  const Tile tile = TileOf(sharding, whole.dims, device);
  if (shard.dims != tile.size) return absl::StrCat("its shape is ", shard.dims.ToString());
  std::optional<std::string> out;
  ForEachCell(tile, whole.dims, [&](int64_t k, int64_t at) {
    if (at < 0 || out.has_value()) return;
    const Cell &found = shard.cells[k], &expected = whole.cells[at];
    const bool is_equal =
        is_exact ? found.i == expected.i : Distance(found, expected) <= share * largest;
    if (!is_equal) {
      out = absl::StrCat("cell ", k, ": ", evaluator::CellText(whole.type, found), ", expected ",
                         evaluator::CellText(whole.type, expected));
    }
  });
  return out;
}

DeviceRun Skipped(const absl::Status& status) {
  return {DeviceRun::Verdict::kSkipped, std::string(status.message())};
}

// Of one array of the boundary: `manual` and `unreduced` parts are no cut of a value.
bool IsCutOfAValue(const HloSharding& sharding) {
  const auto is_part = [](sharding::SubgroupType type) {
    return type == sharding::SubgroupType::kManual || type == sharding::SubgroupType::kUnreduced;
  };
  return !sharding.IsManual() && !sharding.IsUnreduced() &&
         std::none_of(sharding.subgroups().begin(), sharding.subgroups().end(), is_part);
}

std::optional<std::string> WhyNotDense(const hlo::Module& module, hlo::InstructionId id) {
  switch (module.instruction(id).opcode) {
    case hlo::Opcode::kPartitionId:
    case hlo::Opcode::kReplicaId:
      return "it asks for the number of the device";
    default:
      break;
  }
  if (evaluator::IsScrambled(module, id)) return "what it computes is not known";
  return std::nullopt;
}

// Manual code is written for one of several devices, and a custom call may compute anything: of
// these, a run on one device says nothing. Manual code begins at a custom call that nobody knows.
std::optional<std::string> WhyNotDense(const hlo::Module& module) {
  for (hlo::ComputationId c = 0; c < module.num_computations(); ++c) {
    if (module.computation(c).removed) continue;
    for (hlo::InstructionId id : module.computation(c).instructions) {
      const auto why = WhyNotDense(module, id);
      if (why.has_value()) return absl::StrCat(module.instruction(id).name, ": ", *why);
    }
  }
  std::vector<hlo::InstructionId> boundary = module.entry().parameters;
  boundary.push_back(module.entry().root);
  for (hlo::InstructionId id : boundary) {
    for (size_t leaf = 0; leaf < layout::NumLeaves(module.shape(id)); ++leaf) {
      if (IsCutOfAValue(LeafOf(module, id, leaf))) continue;
      return absl::StrCat(module.instruction(id).name, ": its shards are manual or unreduced");
    }
  }
  return std::nullopt;
}

Value Cut(const hlo::Module& module, hlo::InstructionId id, Value value, int64_t device) {
  std::vector<Array*> leaves = evaluator::Leaves(&value);
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    *leaves[leaf] = ShardOf(*leaves[leaf], LeafOf(module, id, leaf), device);
  }
  return value;
}

}  // namespace

DeviceRun RunOnDevices(const hlo::Module& whole, const hlo::Module& device,
                       evaluator::Budget budget) {
  if (const auto why = WhyNotDense(whole)) return Skipped(absl::UnimplementedError(*why));
  const std::vector<Value> inputs = evaluator::MakeInputs(whole);
  evaluator::Interpreter dense(whole, budget);
  const auto expected = dense.Run(whole.entry_id(), inputs);
  if (!expected.ok()) return Skipped(expected.status());
  const int64_t devices = whole.header().num_partitions;
  std::vector<std::vector<Value>> arguments(static_cast<size_t>(devices));
  for (int64_t d = 0; d < devices; ++d) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      arguments[static_cast<size_t>(d)].push_back(
          Cut(whole, whole.entry().parameters[i], inputs[i], d));
    }
  }
  evaluator::Budget more = budget;
  more.steps *= 8 * devices;
  const auto found = evaluator::SpmdRunner(device, more, devices).Run(std::move(arguments));
  if (!found.ok()) {
    const bool is_limit =
        absl::IsResourceExhausted(found.status()) || absl::IsUnimplemented(found.status());
    if (is_limit) return Skipped(found.status());
    return {DeviceRun::Verdict::kDiffers, std::string(found.status().message())};
  }
  const std::vector<const Array*> results = evaluator::Leaves(*expected);
  const double share = evaluator::RoundingShare(whole);
  for (int64_t d = 0; d < devices; ++d) {
    const std::vector<const Array*> shards = evaluator::Leaves((*found)[static_cast<size_t>(d)]);
    for (size_t leaf = 0; leaf < results.size(); ++leaf) {
      const auto difference = Difference(*results[leaf], *shards[leaf],
                                         LeafOf(whole, whole.entry().root, leaf), d, share);
      if (!difference.has_value()) continue;
      return {DeviceRun::Verdict::kDiffers,
              absl::StrCat("result ", leaf, ", device ", d, ", ", *difference)};
    }
  }
  return {};
}

}  // namespace tessera::testing
