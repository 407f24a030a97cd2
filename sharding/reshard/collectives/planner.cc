// Shardy's plan. Its data, per dimension, all axes cut into pieces that the two sides share:
//
//   in_    what still has to go          from [{w}, {x}, {}]          to [{}, {}, {x, y, z, w}]
//   out_   what still has to come        in_ : [w] [x] []             out_: [] [] [x y z w]
//   now_   the axes at this moment       now_: [w] [x] []
//
// Axes at the major end on which both sides agree are left out from the start. `held_` is the set
// of the axes in in_; `home_` tells where an axis of out_ belongs. Then, at most twice:
//
//   slice      axes of out_ that nobody holds, as far as a dimension gets smaller anyway; also such
//              axes as can ride along: y, z are sliced next to x, and x, y, z go together
//   permute    if axes stand in an order that exchanges cannot repair
//   exchange   runs of axes at the minor end that belong to another dimension: first those that
//              come to stand where they belong, then all others
//   gather     dimensions whose last axis belongs nowhere
//
// Axes of one name that cannot come out of one cutting (parts by 2 and by 3 of an axis of 6) are
// beyond this: everything is gathered, then sliced.
//
// Tested in shardy_collectives_test.cc, which plays every plan on numbered devices.

#include "tessera/sharding/reshard/collectives/planner.h"

#include <algorithm>
#include <utility>

namespace tessera::sharding::reshard {
namespace {

AxisList AllAxes(const TensorSharding& s) {
  AxisList axes;
  for (const DimensionSharding& d : s.dims()) axes.insert(axes.end(), d.axes.begin(), d.axes.end());
  return axes;
}

}  // namespace

AxisList SortedByName(AxisList axes, const Mesh& mesh) {
  const AxisNameLess less(mesh);
  absl::c_sort(axes, [&](AxisRef a, AxisRef b) { return less(a, b); });
  return axes;
}

ShardyPlanner::ShardyPlanner(absl::Span<const int64_t> shape, const TensorSharding& from,
                             const TensorSharding& to, const MeshTable& meshes)
    : shape_(shape),
      to_(to),
      mesh_(meshes.mesh(to.mesh_id())),
      mesh_id_(from.mesh_id()),
      same_devices_(meshes.mesh(from.mesh_id()) == mesh_),
      rank_(from.rank()),
      in_(rank_),
      out_(rank_),
      now_(rank_),
      capacity_(rank_) {
  for (int d = 0; d < rank_; ++d) {
    in_[d] = now_[d] = from.dim(d).axes;
    out_[d] = to.dim(d).axes;
  }
  in_axes_ = AllAxes(from);
  out_axes_ = AllAxes(to);
}

CollectivePlan ShardyPlanner::Plan() {
  if (!Coexist()) {
    GatherThenSlice();
    return std::move(plan_);
  }
  Prepare();
  for (int round = 0; round < 2 && !IsDone(); ++round) {
    Slice();
    Permute();
    Exchange(/*in_order=*/true);
    Exchange(/*in_order=*/false);
    Gather();
  }
  plan_.is_complete = IsDone();
  return std::move(plan_);
}

bool ShardyPlanner::Coexist() const {
  for (const AxisRef a : in_axes_) {
    for (const AxisRef b : out_axes_) {
      if (!CanCoexist(a, b)) return false;
    }
  }
  return true;
}

void ShardyPlanner::Prepare() {
  const AxisList sorted_in = SortedByName(in_axes_, mesh_),
                 sorted_out = SortedByName(out_axes_, mesh_);
  for (int d = 0; d < rank_; ++d) {
    Align(in_[d], sorted_out, mesh_);
    Align(out_[d], sorted_in, mesh_);
    const auto common = std::mismatch(in_[d].begin(), in_[d].end(), out_[d].begin(), out_[d].end());
    in_[d].erase(in_[d].begin(), common.first);
    out_[d].erase(out_[d].begin(), common.second);
    held_.insert(in_[d].begin(), in_[d].end());
  }
  FindHomes();
}

void ShardyPlanner::FindHomes() {
  home_.clear();
  for (int d = 0; d < rank_; ++d) {
    for (size_t j = 0; j < out_[d].size(); ++j) {
      home_.try_emplace(out_[d][j], Place{d, static_cast<int>(j)});
    }
  }
}

Collective& ShardyPlanner::Emit(CollectiveKind kind) {
  Collective step;
  step.kind = kind;
  step.sharding = TensorSharding(mesh_id_, rank_);
  for (int d = 0; d < rank_; ++d) step.sharding.dim(d).axes = now_[d];
  step.sharding.mutable_unreduced_axes() = to_.unreduced_axes();
  step.sharding.set_reduction(to_.reduction());
  plan_.steps.push_back(std::move(step));
  return plan_.steps.back();
}

void ShardyPlanner::GatherThenSlice() {
  Lists gathered = now_;
  for (AxisList& axes : now_) axes.clear();
  EmitPerDim(CollectiveKind::kAllGather, std::move(gathered));
  mesh_id_ = to_.mesh_id();
  Lists sliced;
  for (int d = 0; d < rank_; ++d) sliced.push_back(now_[d] = to_.dim(d).axes);
  EmitPerDim(CollectiveKind::kAllSlice, std::move(sliced));
}

}  // namespace tessera::sharding::reshard
