// One collective-permute puts the axes into an order that exchanges can work with.
#include <set>
#include <utility>

#include "tessera/sharding/reshard/collectives/planner.h"

namespace tessera::sharding::reshard {
namespace {

bool DivideOneAnother(int64_t a, int64_t b) { return a % b == 0 || b % a == 0; }

}  // namespace

void ShardyPlanner::Permute() {
  if (NeedsPermute()) {
    PermuteAxes();
  } else if (same_devices_) {
    return;
  }
  same_devices_ = true;
  mesh_id_ = to_.mesh_id();
  Emit(CollectiveKind::kCollectivePermute);
}

bool ShardyPlanner::NeedsPermute() const {
  std::optional<AxisRef> free_in, free_out;
  for (int d = 0; d < rank_; ++d) {
    for (const AxisRef axis : out_[d]) {
      if (!IsHeld(axis)) free_out = axis;
    }
    const bool both = !in_[d].empty() && !out_[d].empty();
    if (both && DivideOneAnother(Size(in_[d][0]), Size(out_[d][0]))) return true;
    if (IsOutOfOrder(d, free_in)) return true;
  }
  return free_in && free_out && DivideOneAnother(Size(*free_in), Size(*free_out));
}

bool ShardyPlanner::IsOutOfOrder(int d, std::optional<AxisRef>& free_in) const {
  std::optional<int> previous_dim;
  int previous_index = 0;
  std::set<int> seen;
  for (const AxisRef axis : in_[d]) {
    const Place* place = PlaceOf(axis);
    if (place == nullptr) {
      if (previous_dim && out_[d].empty()) return true;
      free_in = axis;
      previous_dim.reset();
      continue;
    }
    const bool follows = previous_dim == place->dim && place->index == previous_index + 1;
    if ((place->dim == d || seen.count(place->dim) > 0) && !follows) return true;
    previous_dim = place->dim;
    previous_index = place->index;
    seen.insert(place->dim);
  }
  return false;
}

void ShardyPlanner::PermuteAxes() {
  held_.clear();
  AxisList out_left;
  Lists in_left(rank_);
  for (int d = 0; d < rank_; ++d) PermuteDim(d, out_left, in_left[d]);
  Distribute(End::kBack, out_left);
  AxisList parts;
  for (int d = 0; d < rank_; ++d) DistributeTo(d, End::kFront, in_left[d], parts, nullptr);
  AlignOut(parts);
  AxisList rest;
  for (const AxisList& axes : in_left) rest.insert(rest.end(), axes.begin(), axes.end());
  Distribute(End::kFront, rest);
  FindHomes();
  for (int d = 0; d < rank_; ++d) {
    for (const AxisRef axis : in_[d]) AddOrMerge(now_[d], axis, mesh_);
  }
}

void ShardyPlanner::PermuteDim(int d, AxisList& out_left, AxisList& in_left) {
  capacity_[d] = Parts(in_[d]);
  int64_t used = capacity_[d];
  RemoveFromBack(now_[d], in_[d]);
  AxisList placed;
  MoveFront(out_[d], capacity_[d], placed);
  for (const AxisRef axis : placed) AddOrMerge(now_[d], axis, mesh_);
  out_left.insert(out_left.end(), out_[d].begin(), out_[d].end());
  used /= capacity_[d];
  AxisList homeless;
  for (const AxisRef axis : in_[d]) {
    if (PlaceOf(axis) == nullptr) homeless.push_back(axis);
  }
  AxisList replaced;
  MoveFront(homeless, used, replaced);
  in_left = homeless;
  in_left.insert(in_left.end(), replaced.begin(), replaced.end());
  in_[d].clear();
}

void ShardyPlanner::MoveFront(AxisList& from, int64_t& capacity, AxisList& to) {
  while (capacity > 1 && !from.empty()) {
    const std::optional<Portion> portion = TakePortion(from.front(), capacity, mesh_);
    if (!portion) return;
    from.erase(from.begin());
    to.push_back(portion->taken);
    if (portion->rest) from.insert(from.begin(), *portion->rest);
  }
}

}  // namespace tessera::sharding::reshard
