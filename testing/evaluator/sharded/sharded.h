// Device by device: each instruction is computed as the devices of a mesh would, under the
// shardings that `tessera shard` gives the module.
//
//   absl::StatusOr<ShardedRun> run = ShardedRun::Create(module, options);
//   BlockRunner runner(module, budget, run->Rules(Poison::kNan));
//
// The tile of each device is computed from the cells that its signature names (the device would
// have to fetch those that it lacks). Dots, reductions and convolutions may be cut along a summed
// dimension of both operands. Then the devices also compute partial results from their own tiles,
// which are combined in the order of the devices. That changes the order of summation, so a result
// of floats may differ from the dense one by
//
//   (terms * e + parts * r) * sum of the absolute values of the terms
//
// with e the rounding of the type that sums are held in and r that of the result; integers,
// minimum, maximum and logic must be equal to the bit.
#ifndef TESSERA_TESTING_EVALUATOR_SHARDED_SHARDED_H_
#define TESSERA_TESTING_EVALUATOR_SHARDED_SHARDED_H_

#include <memory>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/answer/sharding_lookup.h"
#include "tessera/sharding/device_tiles.h"
#include "tessera/testing/evaluator/sharded/blocks.h"

namespace tessera::testing::evaluator {

class ShardedRun {
 public:
  // kNotFound for a module that no sharding reaches, errors of Propagate(). The module must outlive
  // it.
  static absl::StatusOr<ShardedRun> Create(const hlo::Module& module,
                                           const pipeline::ShardOptions& options);

  // They refer to this run.
  BlockRules Rules(Poison poison) const;
  int64_t partial_results() const { return *partial_results_; }  // checked so far

 private:
  std::vector<ZRange> Tiles(hlo::InstructionId id, int leaf, const ZPoint& dims) const;
  absl::Status CheckPartial(Interpreter& interpreter, hlo::InstructionId id, Values operands,
                            const Value& dense) const;
  const sharding::TensorSharding* ShardingOf(hlo::InstructionId id, int leaf) const;

  const hlo::Module* module_ = nullptr;
  std::unique_ptr<pipeline::ShardingLookup> placement_;
  std::unique_ptr<sharding::DeviceGrid> grid_;
  std::unique_ptr<int64_t> partial_results_ = std::make_unique<int64_t>(0);
};

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_SHARDED_SHARDED_H_
