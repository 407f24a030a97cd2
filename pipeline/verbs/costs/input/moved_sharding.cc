#include "tessera/pipeline/verbs/costs/input/moved_sharding.h"

#include <cstdint>
#include <utility>

#include "tessera/sharding/axis_lists.h"

namespace tessera::pipeline {
namespace {

using sharding::AxisList;
using sharding::Mesh;
using sharding::TensorSharding;

// Whether they stood there.
bool TakeOff(const AxisList& axes, const Mesh& mesh, TensorSharding* sharding) {
  int64_t taken = 1;
  for (sharding::DimensionSharding& dim : sharding->mutable_dims()) {
    const int64_t before = ShardedSize(dim.axes, mesh);
    dim.axes = SetDifference(dim.axes, axes, mesh);
    taken *= before / ShardedSize(dim.axes, mesh);
  }
  return taken == ShardedSize(axes, mesh);
}

bool Apply(const CollectiveLine& line, const Mesh& mesh, TensorSharding* sharding) {
  const hlo::Opcode op = line.made.opcode;
  if (op == hlo::Opcode::kCollectivePermute) return true;
  if (!line.over->axes.has_value() || !TakeOff(*line.over->axes, mesh, sharding)) return false;
  if (op != hlo::Opcode::kAllToAll) return true;
  if (line.dimensions.size() != 1 || line.dimensions[0] >= sharding->rank()) return false;
  AppendMinor(sharding->dim(static_cast<int>(line.dimensions[0])).axes, *line.over->axes, mesh);
  return true;
}

}  // namespace

std::optional<TensorSharding> MovedSharding(TensorSharding from, const Mesh& mesh,
                                            const std::vector<CollectiveLine>& collectives) {
  for (const CollectiveLine& line : collectives) {
    if (!Apply(line, mesh, &from)) return std::nullopt;
  }
  return from;
}

std::optional<TensorSharding> BeforeGathers(TensorSharding to, const Mesh& mesh,
                                            const std::vector<CollectiveLine>& collectives) {
  for (auto line = collectives.rbegin(); line != collectives.rend(); ++line) {
    const bool is_gather = line->made.opcode == hlo::Opcode::kAllGather &&
                           line->over->axes.has_value() && line->dimensions.size() == 1 &&
                           line->dimensions[0] < to.rank();
    if (!is_gather) return std::nullopt;
    AppendMinor(to.dim(static_cast<int>(line->dimensions[0])).axes, *line->over->axes, mesh);
  }
  return to;
}

}  // namespace tessera::pipeline
