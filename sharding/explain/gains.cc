#include "tessera/sharding/explain/gains.h"

#include <optional>
#include <utility>

#include "tessera/sharding/axis_lists.h"

namespace tessera::sharding::explain {
namespace {

// The parts of `wanted` that lie in `axes`.
AxisList Common(const AxisList& wanted, const AxisList& axes) {
  AxisList common;
  for (const AxisRef w : wanted) {
    for (const AxisRef a : axes) {
      if (const std::optional<AxisRef> part = Overlap(w, a)) common.push_back(*part);
    }
  }
  return common;
}

}  // namespace

absl::Span<const AxisRef> AxesAt(const TensorSharding* sharding, int dim) {
  if (sharding == nullptr || dim >= sharding->rank()) return {};
  return sharding->dim(dim).axes;
}

std::vector<Gain> NewAxes(const TensorSharding* before, const TensorSharding& after,
                          const Mesh& mesh) {
  std::vector<Gain> gains;
  for (int d = 0; d < after.rank(); ++d) {
    Gain gain;
    gain.dim = d;
    const bool had_dim = before != nullptr && d < before->rank();
    gain.axes =
        had_dim ? SetDifference(after.dim(d).axes, before->dim(d).axes, mesh) : after.dim(d).axes;
    if (!gain.axes.empty()) gains.push_back(std::move(gain));
  }
  return gains;
}

std::vector<TakenGain> SplitByFactor(const std::vector<Gain>& gains, int tensor,
                                     absl::Span<const Take> takes, const Mesh& mesh) {
  std::vector<TakenGain> split;
  for (const Gain& gain : gains) {
    AxisList rest = gain.axes;
    for (const Take& take : takes) {
      if (take.tensor != tensor || take.dim != gain.dim) continue;
      TakenGain part;
      part.gain.dim = gain.dim;
      part.gain.factor = take.factor;
      part.gain.axes = Common(gain.axes, SetDifference(take.now, take.old, mesh));
      part.take = &take;
      if (part.gain.axes.empty()) continue;
      rest = SetDifference(rest, part.gain.axes, mesh);
      split.push_back(std::move(part));
    }
    if (!rest.empty()) split.push_back({Gain{gain.dim, std::move(rest), kNoIndex, {}}, nullptr});
  }
  return split;
}

}  // namespace tessera::sharding::explain
