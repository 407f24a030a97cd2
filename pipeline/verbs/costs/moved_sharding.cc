#include "tessera/pipeline/verbs/costs/moved_sharding.h"

#include <cstdint>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "tessera/sharding/axis_lists.h"

namespace tessera::pipeline {
namespace {

using sharding::AxisList;
using sharding::AxisRef;
using sharding::Mesh;
using sharding::TensorSharding;

std::optional<AxisList> AxesOf(const CollectiveLine& line, const Mesh& mesh) {
  if (!line.axes.has_value()) return std::nullopt;
  AxisList axes;
  for (const std::string& text : *line.axes) {
    const std::optional<AxisRef> axis = ReadAxis(text, mesh);
    if (!axis.has_value()) return std::nullopt;
    axes.push_back(*axis);
  }
  return axes;
}

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
  const std::optional<AxisList> axes = AxesOf(line, mesh);
  if (!axes.has_value() || !TakeOff(*axes, mesh, sharding)) return false;
  if (op != hlo::Opcode::kAllToAll) return true;
  if (line.dimensions.size() != 1 || line.dimensions[0] >= sharding->rank()) return false;
  AppendMinor(sharding->dim(static_cast<int>(line.dimensions[0])).axes, *axes, mesh);
  return true;
}

}  // namespace

std::optional<AxisRef> ReadAxis(const std::string& text, const Mesh& mesh) {
  const size_t colon = text.find(":(");
  const std::optional<int> axis = mesh.FindAxis(absl::string_view(text).substr(0, colon));
  if (!axis.has_value()) return std::nullopt;
  if (colon == std::string::npos) return AxisRef::Full(*axis);
  const absl::string_view part = absl::string_view(text).substr(colon + 2);
  const size_t close = part.find(')');
  int64_t before = 0, size = 0;
  if (close == absl::string_view::npos || !absl::SimpleAtoi(part.substr(0, close), &before) ||
      !absl::SimpleAtoi(part.substr(close + 1), &size)) {
    return std::nullopt;
  }
  return AxisRef::Sub(*axis, before, size);
}

std::optional<TensorSharding> MovedSharding(TensorSharding from, const Mesh& mesh,
                                            const std::vector<CollectiveLine>& collectives) {
  for (const CollectiveLine& line : collectives) {
    if (!Apply(line, mesh, &from)) return std::nullopt;
  }
  return from;
}

}  // namespace tessera::pipeline
