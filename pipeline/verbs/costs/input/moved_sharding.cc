#include "tessera/pipeline/verbs/costs/input/moved_sharding.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "tessera/sharding/axis_lists.h"
#include "tessera/text/checked.h"

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

// The dimension that an all-to-all joins: the only one whose tile it has as the axes cut it.
// Its own array has the dimension that it splits as two, one part for each device.
std::optional<int> JoinedDimension(const CollectiveLine& line, int split,
                                   const layout::Shape& whole, const Mesh& mesh,
                                   const TensorSharding& sharding) {
  const int64_t parts = ShardedSize(*line.over->axes, mesh);
  std::optional<int> joined;
  for (int d = 0; d < sharding.rank(); ++d) {
    const int64_t shares = ShardedSize(sharding.dim(d).axes, mesh);
    const int64_t cut = CeilDiv(whole.dim(d), shares * parts);
    if (d == split || cut == CeilDiv(whole.dim(d), shares)) continue;
    if (line.made.shape.dim(d < split ? d : d + 1) != cut) continue;
    if (joined.has_value()) return std::nullopt;
    joined = d;
  }
  return joined;
}

// Takes the axes of a collective to where they stood in front of it.
bool Undo(const CollectiveLine& line, const layout::Shape& whole, const Mesh& mesh,
          TensorSharding* sharding) {
  if (!line.over->axes.has_value() || line.dimensions.size() != 1) return false;
  if (line.dimensions[0] >= sharding->rank()) return false;
  int to = static_cast<int>(line.dimensions[0]);
  if (line.made.opcode == hlo::Opcode::kAllToAll) {
    if (!line.made.shape.is_array() || line.made.shape.rank() != sharding->rank() + 1) return false;
    if (!TakeOff(*line.over->axes, mesh, sharding)) return false;
    const std::optional<int> joined = JoinedDimension(line, to, whole, mesh, *sharding);
    if (!joined.has_value()) return false;
    to = *joined;
  } else if (line.made.opcode != hlo::Opcode::kAllGather) {
    return false;
  }
  AppendMinor(sharding->dim(to).axes, *line.over->axes, mesh);
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

std::optional<TensorSharding> BeforeMoves(TensorSharding to, const layout::Shape& whole,
                                          const Mesh& mesh,
                                          const std::vector<CollectiveLine>& collectives) {
  if (!whole.is_array() || whole.rank() != to.rank()) return std::nullopt;
  for (auto line = collectives.rbegin(); line != collectives.rend(); ++line) {
    if (!Undo(*line, whole, mesh, &to)) return std::nullopt;
  }
  return to;
}

}  // namespace tessera::pipeline
