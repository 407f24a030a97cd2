#include "tessera/testing/evaluator/sharded/sharded.h"

#include <algorithm>
#include <utility>

#include "tessera/pipeline/input/named_instruction.h"
#include "tessera/projection/cost/demand/device_tiles.h"
#include "tessera/projection/cost/demand/reduction_strategies.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/testing/evaluator/sharded/partial_sums.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

using sharding::TensorSharding;

// Meshes of hundreds of devices have hundreds of tiles that say the same.
constexpr size_t kMaxTiles = 16;
constexpr int64_t kMostDevices = 64;

bool MayBePartial(hlo::Opcode opcode) {
  return opcode == hlo::Opcode::kDot || opcode == hlo::Opcode::kReduce ||
         opcode == hlo::Opcode::kConvolution;
}

std::vector<SumPart> PartsOf(const projection::PartialForm& form) {
  std::vector<SumPart> parts;
  for (const projection::ClassDemand& devices : form.demand.classes) {
    SumPart part{devices.result, {}};
    for (const projection::OperandDemand& operand : devices.operands) {
      projection::Need need;
      need.cells = operand.need;
      part.needs.push_back(std::move(need));
    }
    const bool known = std::any_of(parts.begin(), parts.end(),
                                   [&](const SumPart& p) { return p.index == part.index; });
    if (!known) parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

absl::StatusOr<ShardedRun> ShardedRun::Create(const hlo::Module& module,
                                              const pipeline::ShardOptions& options) {
  ShardedRun run;
  run.module_ = &module;
  TESSERA_ASSIGN_OR_RETURN(pipeline::ShardingLookup placement,
                           pipeline::ShardingLookup::Create(module, options));
  run.placement_ = std::make_unique<pipeline::ShardingLookup>(std::move(placement));
  if (run.placement_->mesh() == nullptr) return absl::NotFoundError("no mesh");
  run.grid_ =
      std::make_unique<sharding::DeviceGrid>(*run.placement_->mesh(), run.placement_->meshes());
  return run;
}

BlockRules ShardedRun::Rules(Poison poison) const {
  const auto tiles = [this](const hlo::Module&, hlo::InstructionId id, int leaf,
                            const ZPoint& dims) { return Tiles(id, leaf, dims); };
  BlockRules rules(tiles, poison);
  rules.also = [this](Interpreter& interpreter, hlo::InstructionId id, Values operands,
                      const Value& dense) {
    return CheckPartial(interpreter, id, operands, dense);
  };
  return rules;
}

const TensorSharding* ShardedRun::ShardingOf(hlo::InstructionId id, int leaf) const {
  const auto placed = pipeline::FindNamed(placement_->module(), module_->instruction(id).name);
  return placed.ok() ? placement_->Of(*placed, leaf) : nullptr;
}

std::vector<ZRange> ShardedRun::Tiles(hlo::InstructionId id, int leaf, const ZPoint& dims) const {
  const TensorSharding* placed = ShardingOf(id, leaf);
  std::vector<ZRange> tiles;
  if (placed == nullptr || placed->rank() != dims.rank()) return {ZRange::FromShape(dims)};
  for (const sharding::DeviceClass& devices : sharding::ClassesOf(*grid_, {placed})) {
    const absl::StatusOr<ZRange> tile =
        projection::TileBox(*grid_, dims, *placed, devices.representative);
    if (tile.ok() && tiles.size() < kMaxTiles) tiles.push_back(*tile);
  }
  return tiles;
}

absl::Status ShardedRun::CheckPartial(Interpreter& interpreter, hlo::InstructionId id,
                                      Values operands, const Value& dense) const {
  if (!MayBePartial(module_->instruction(id).opcode) || !dense.is_array ||
      grid_->num_devices() > kMostDevices)
    return absl::OkStatus();
  std::vector<const TensorSharding*> placed;
  for (hlo::InstructionId operand : module_->operands(id)) placed.push_back(ShardingOf(operand, 0));
  const absl::StatusOr<projection::ReductionStrategies> forms =
      projection::FormsOf(*module_, id, 0, *grid_, placed, ShardingOf(id, 0));
  if (!forms.ok()) return forms.status();
  if (!forms->partial.has_value()) return absl::OkStatus();
  const absl::Status status =
      CheckPartialSums(interpreter, id, operands, dense.array, PartsOf(*forms->partial));
  if (absl::IsUnimplemented(status)) return absl::OkStatus();
  ++*partial_results_;
  return status;
}

}  // namespace tessera::testing::evaluator
