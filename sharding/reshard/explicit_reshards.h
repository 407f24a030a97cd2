// Which explicit reshards one op needs, so that its operands and results are sharded in a way in
// which it can be computed. Knows rules and shardings, no HLO.
//
//   // dot: A [{a},{}] , B [{},{a}] -> C [{a},{}]; i and j both want `a`
//   OpReshardQuery query;
//   query.rule = &rule;
//   query.version = Version::kFull;
//   query.operands = {{&a, 4 * 8}, {&b, 8 * 4}};
//   query.results = {{&c, 4 * 4}};
//   OpReshards plan = PlanOpReshards(query, meshes);
//   plan.operands[1];             // [{}, {}]: reshard B to this before the op
//   plan.results[0].sharding;     // what the op itself computes
//   plan.results[0].all_reduce;   // axes to sum over, directly after the op
//   plan.results[0].reshard;      // then the old sharding again, for the users
//
// Two versions. The full one makes an op compatible factor by factor. The minimal one touches dots
// only, and only where a result can take an operand's axes so that a partial sum is cheap.
//
// Not in here: data-flow ops, calls, existing reshards and returns, which take "to target"
// (to_target.h) instead, and which version an op gets.

#ifndef TESSERA_SHARDING_RESHARD_EXPLICIT_RESHARDS_H_
#define TESSERA_SHARDING_RESHARD_EXPLICIT_RESHARDS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "tessera/sharding/axes.h"
#include "tessera/sharding/factors/rule.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/reference/behaviors.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::reshard {

struct ReshardTensor {
  const TensorSharding* sharding = nullptr;  // null: none
  int64_t num_elements = 0;                  // 0 without a static shape
};

enum class Version : uint8_t { kMinimal, kFull };

enum class OpClass : uint8_t {
  kOther,
  kReshape,  // axes that overflow are redistributed
  kDot,      // dot and dot_general: the only ones with a minimal version
};

struct OpReshardQuery {
  const factors::OpShardingRule* rule = nullptr;
  Version version = Version::kMinimal;
  OpClass op_class = OpClass::kOther;
  reference::Behaviors behaviors;
  std::vector<ReshardTensor> operands;
  std::vector<ReshardTensor> results;
};

struct ResultReshards {
  std::optional<TensorSharding> sharding;  // of the op's result; none: it has none
  AxisList all_reduce;                     // directly after the op, taking over all uses; or empty
  std::optional<TensorSharding> reshard;   // after that, taking over all uses
};

struct OpReshards {
  std::vector<std::optional<TensorSharding>>
      operands;  // reshard this operand to ..; none: leave it
  std::vector<ResultReshards> results;
};

// The plan for one op. The number and ranks of tensors must be those of the rule. If the tensors
// have no common mesh (up to device order), or it is a single device, nothing is to be done.
// Operands with unreduced axes must have been summed before: see UnreducedToSum.
OpReshards PlanOpReshards(const OpReshardQuery& query, const MeshTable& meshes);

// The axes over which an operand has to be summed (all-reduced) before the op: its unreduced axes
// that result 0 of the op does not leave unreduced as well. `result` may be null.
AxisList UnreducedToSum(const TensorSharding& operand, const TensorSharding* result,
                        const MeshTable& meshes);

}  // namespace tessera::sharding::reshard

#endif  // TESSERA_SHARDING_RESHARD_EXPLICIT_RESHARDS_H_
