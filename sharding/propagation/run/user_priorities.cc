#include "tessera/sharding/propagation/run/user_priorities.h"

#include <algorithm>

#include "absl/algorithm/container.h"

namespace tessera::sharding::propagation {

std::vector<int64_t> PrioritiesAboveZero(const TensorSharding& s) {
  std::vector<int64_t> found;
  for (const DimensionSharding& d : s.dims()) {
    if (d.effective_priority() > 0) found.push_back(d.priority);
  }
  absl::c_sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

TensorSharding MaskPriorities(const TensorSharding& s) {
  TensorSharding hidden = s;
  AxisList& reserved = hidden.mutable_replicated_axes();
  for (DimensionSharding& d : hidden.mutable_dims()) {
    if (d.effective_priority() > 0) {
      reserved.insert(reserved.end(), d.axes.begin(), d.axes.end());
      d = DimensionSharding();
    }
    d.priority = kNoPriority;
  }
  absl::c_sort(reserved);
  return hidden;
}

TensorSharding RestorePriority(TensorSharding current, const TensorSharding& original,
                               int64_t priority) {
  AxisList& reserved = current.mutable_replicated_axes();
  for (int d = 0; d < original.rank(); ++d) {
    if (original.dim(d).effective_priority() != priority) continue;
    current.dim(d) = original.dim(d);
    current.dim(d).priority = kNoPriority;
    for (const AxisRef axis : original.dim(d).axes) {
      reserved.erase(std::remove(reserved.begin(), reserved.end(), axis), reserved.end());
    }
  }
  return current;
}

}  // namespace tessera::sharding::propagation
