// What a way to partition a gather or scatter would cost, by trying it. XLA: gather_scatter_handler,
// EvaluatePartitionCost.

#ifndef TESSERA_SHARDING_PARTITION_OPS_INDEXED_WAY_COST_H_
#define TESSERA_SHARDING_PARTITION_OPS_INDEXED_WAY_COST_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/sharding/partition/ops/visit.h"

namespace tessera::sharding::partition {

// The result of a way; nothing where the way does not apply.
using Try = std::optional<NodeId>;

// A dry run: the largest memory and the communication in bytes, compared in this order; the most if
// the way does not apply.
using Cost = std::pair<int64_t, int64_t>;
Cost CostOfRun(DeviceGroupScope& scope, Opcode opcode, const std::function<Try()>& run);
// A stand-in for the value in a dry run.
PartitionedHlo StandIn(const PartitionedHlo& value, DeviceGroupScope& scope);

// The cheapest first; of equal cost in the order in which they were given.
template <typename Way>
void AppendByCost(std::vector<std::pair<Cost, Way>> ways, std::vector<Way>* out) {
  std::stable_sort(ways.begin(), ways.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [cost, way] : ways) out->push_back(way);
}

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_OPS_INDEXED_WAY_COST_H_
