// Handing out axes to dimensions, and slicing: what nobody holds, as far as it makes tensors
// smaller.
#include <algorithm>
#include <numeric>
#include <utility>

#include "tessera/sharding/reshard/collectives/planner.h"

namespace tessera::sharding::reshard {

void ShardyPlanner::Distribute(End end, AxisList& available, Lists* taken) {
  AxisList parts;
  for (int d = 0; d < rank_; ++d) DistributeTo(d, end, available, parts, taken);
  AlignOut(parts);
}

void ShardyPlanner::DistributeTo(int d, End end, AxisList& available, AxisList& parts,
                                 Lists* taken) {
  size_t position = end == End::kFront ? 0 : in_[d].size();
  for (size_t k = 0; k < available.size() && capacity_[d] > 1;) {
    const std::optional<Portion> portion = TakePortion(available[k], capacity_[d], mesh_);
    if (!portion) {
      ++k;
      continue;
    }
    available.erase(available.begin() + k);
    in_[d].insert(in_[d].begin() + position++, portion->taken);
    held_.insert(portion->taken);
    if (taken != nullptr) (*taken)[d].push_back(portion->taken);
    if (portion->rest) {
      available.insert(available.begin(), *portion->rest);
      parts.push_back(portion->taken);
    }
  }
}

void ShardyPlanner::AlignOut(const AxisList& parts) {
  if (parts.empty()) return;
  const AxisList sorted = SortedByName(parts, mesh_);
  for (AxisList& axes : out_) Align(axes, sorted, mesh_);
}

void ShardyPlanner::Slice() {
  Lists sliced(rank_);
  for (int d = 0; d < rank_; ++d) {
    const int64_t in = Parts(in_[d]), out = Parts(out_[d]);
    capacity_[d] = out / std::gcd(in, out);
  }
  for (int d = 0; d < rank_; ++d) SliceToRideAlong(d, sliced);
  AxisList left;
  for (int d = 0; d < rank_; ++d) SliceInPlace(d, sliced, left);
  Lists more(rank_);
  Distribute(End::kBack, left, &more);
  for (int d = 0; d < rank_; ++d) AddSliced(d, more[d], sliced);
  FindHomes();
  EmitPerDim(CollectiveKind::kAllSlice, std::move(sliced));
}

void ShardyPlanner::AddSliced(int d, absl::Span<const AxisRef> axes, Lists& sliced) {
  for (const AxisRef axis : axes) {
    AddOrMerge(sliced[d], axis, mesh_);
    AddOrMerge(now_[d], axis, mesh_);
  }
}

void ShardyPlanner::SliceToRideAlong(int src, Lists& sliced) {
  if (in_[src].empty() || !out_[src].empty()) return;
  const Place* place = PlaceOf(in_[src].back());
  if (place == nullptr || !in_[place->dim].empty()) return;
  const int t = place->dim;
  const AxisList& out = out_[t];
  const auto last = absl::c_find(out, in_[src].back());
  if (last == out.end()) return;
  const auto rest = std::find_if(last + 1, out.end(), [&](AxisRef a) { return IsHeld(a); });
  const AxisList ride(last + 1, rest);
  if (ride.empty()) return;
  const size_t agreeing =
      AgreeingSuffix(in_[src], absl::MakeConstSpan(out.data(), last - out.begin() + 1));
  const size_t before = in_[src].size() - agreeing;
  for (size_t k = 0; k < before; ++k) {
    const Place* other = PlaceOf(in_[src][k]);
    if (other != nullptr && other->dim == t) return;
  }
  if (shape_[src] % (Parts(now_[src]) * Parts(ride)) != 0) return;
  const AxisList suffix(in_[src].begin() + before, in_[src].end());
  capacity_[t] /= Parts(suffix) * Parts(ride);
  in_[src].insert(in_[src].end(), ride.begin(), ride.end());
  held_.insert(ride.begin(), ride.end());
  AddSliced(src, ride, sliced);
}

size_t ShardyPlanner::AgreeingSuffix(const AxisList& a, absl::Span<const AxisRef> b) {
  size_t n = 0;
  while (n < a.size() && n < b.size() && a[a.size() - 1 - n] == b[b.size() - 1 - n]) ++n;
  return n;
}

void ShardyPlanner::SliceInPlace(int d, Lists& sliced, AxisList& left) {
  AxisList& out = out_[d];
  for (size_t k = 0; k < out.size();) {
    const AxisRef axis = out[k];
    if (IsHeld(axis)) {
      ++k;
      continue;
    }
    const std::optional<Portion> portion = TakePortion(axis, capacity_[d], mesh_);
    if (!portion) {
      left.push_back(axis);
      ++k;
      continue;
    }
    AddSliced(d, {portion->taken}, sliced);
    if (in_[d].empty() && k == 0) {
      out.erase(out.begin());
    } else {
      held_.insert(portion->taken);
      in_[d].push_back(portion->taken);
      out[k++] = portion->taken;
    }
    if (portion->rest) {
      out.insert(out.begin() + k++, *portion->rest);
      left.push_back(*portion->rest);
    }
  }
}

}  // namespace tessera::sharding::reshard
