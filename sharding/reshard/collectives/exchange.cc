// Runs of minor axes that belong to another dimension go there; what belongs nowhere is gathered.
#include <algorithm>
#include <utility>

#include "tessera/sharding/reshard/collectives/planner.h"

namespace tessera::sharding::reshard {

void ShardyPlanner::Exchange(bool in_order) {
  for (int src = 0; src < rank_; ++src) {
    while (ExchangeRun(src, in_order)) continue;
  }
}

bool ShardyPlanner::ExchangeRun(int src, bool in_order) {
  AxisList& in = in_[src];
  const Place* place = in.empty() ? nullptr : PlaceOf(in.back());
  if (place == nullptr || place->dim == src) return false;
  const int t = place->dim;
  size_t begin = in.size();
  while (begin > 0) {
    const Place* other = PlaceOf(in[begin - 1]);
    if (other == nullptr || other->dim != t) break;
    --begin;
  }
  const AxisList run(in.begin() + begin, in.end());
  const AxisList& out = out_[t];
  const bool fits = run.size() <= out.size() && std::equal(run.begin(), run.end(), out.begin());
  if (in_order && !fits) return false;
  RemoveFromBack(now_[src], run);
  in.resize(begin);
  AxisList moved;
  for (const AxisRef axis : run) Arrive(axis, t, moved);
  Collective& step = Emit(CollectiveKind::kAllToAll);
  step.axes = moved;
  step.source = src;
  step.target = t;
  return true;
}

void ShardyPlanner::Arrive(AxisRef axis, int t, AxisList& moved) {
  AddOrMerge(now_[t], axis, mesh_);
  AddOrMerge(moved, axis, mesh_);
  held_.erase(axis);
  if (in_[t].empty() && !out_[t].empty() && out_[t].front() == axis) {
    out_[t].erase(out_[t].begin());
  } else {
    in_[t].push_back(axis);
    held_.insert(axis);
  }
}

void ShardyPlanner::Gather() {
  Lists gathered(rank_);
  for (int d = 0; d < rank_; ++d) {
    if (in_[d].empty() || PlaceOf(in_[d].back()) != nullptr) continue;
    held_.erase(in_[d].back());
    RemoveFromBack(now_[d], in_[d]);
    for (const AxisRef axis : in_[d]) AddOrMerge(gathered[d], axis, mesh_);
    in_[d].clear();
  }
  EmitPerDim(CollectiveKind::kAllGather, std::move(gathered));
}

}  // namespace tessera::sharding::reshard
