// The data of the way, per dimension, all axes cut into pieces that the two sides share:
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
// Tested in collectives_test.cc, which plays every plan on numbered devices.

#include "tessera/sharding/reshard/collectives.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/reshard/axis_alignment.h"

namespace tessera::sharding::reshard {
namespace {

using Lists = std::vector<AxisList>;

bool DivideOneAnother(int64_t a, int64_t b) { return a % b == 0 || b % a == 0; }

AxisList AllAxes(const TensorSharding& s) {
  AxisList axes;
  for (const DimensionSharding& d : s.dims()) axes.insert(axes.end(), d.axes.begin(), d.axes.end());
  return axes;
}

AxisList Sorted(AxisList axes, const Mesh& mesh) {
  const AxisNameLess less(mesh);
  absl::c_sort(axes, [&](AxisRef a, AxisRef b) { return less(a, b); });
  return axes;
}

class Way {
 public:
  Way(absl::Span<const int64_t> shape, const TensorSharding& from, const TensorSharding& to,
      const MeshTable& meshes)
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

  CollectivePlan Plan() {
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

 private:
  struct Place {
    int dim;
    int index;
  };

  int64_t Size(AxisRef a) const { return a.size(mesh_); }
  int64_t Parts(const AxisList& axes) const { return ShardedSize(axes, mesh_); }
  bool IsHeld(AxisRef a) const { return held_.contains(a); }
  const Place* HomeOf(AxisRef a) const {
    const auto found = home_.find(a);
    return found == home_.end() ? nullptr : &found->second;
  }

  bool IsDone() const {
    const auto empty = [](const AxisList& axes) { return axes.empty(); };
    return same_devices_ && absl::c_all_of(in_, empty) && absl::c_all_of(out_, empty);
  }

  bool Coexist() const {
    for (const AxisRef a : in_axes_) {
      for (const AxisRef b : out_axes_) {
        if (!CanCoexist(a, b)) return false;
      }
    }
    return true;
  }

  void Prepare() {
    const AxisList sorted_in = Sorted(in_axes_, mesh_), sorted_out = Sorted(out_axes_, mesh_);
    for (int d = 0; d < rank_; ++d) {
      Align(in_[d], sorted_out, mesh_);
      Align(out_[d], sorted_in, mesh_);
      const auto common =
          std::mismatch(in_[d].begin(), in_[d].end(), out_[d].begin(), out_[d].end());
      in_[d].erase(in_[d].begin(), common.first);
      out_[d].erase(out_[d].begin(), common.second);
      held_.insert(in_[d].begin(), in_[d].end());
    }
    FindHomes();
  }

  void FindHomes() {
    home_.clear();
    for (int d = 0; d < rank_; ++d) {
      for (size_t j = 0; j < out_[d].size(); ++j) {
        home_.try_emplace(out_[d][j], Place{d, static_cast<int>(j)});
      }
    }
  }

  Collective& Emit(CollectiveKind kind) {
    Collective step;
    step.kind = kind;
    step.sharding = TensorSharding(mesh_id_, rank_);
    for (int d = 0; d < rank_; ++d) step.sharding.dim(d).axes = now_[d];
    step.sharding.mutable_unreduced_axes() = to_.unreduced_axes();
    step.sharding.set_reduction(to_.reduction());
    plan_.steps.push_back(std::move(step));
    return plan_.steps.back();
  }

  void EmitPerDim(CollectiveKind kind, Lists axes_per_dim) {
    if (absl::c_all_of(axes_per_dim, [](const AxisList& axes) { return axes.empty(); })) return;
    Emit(kind).axes_per_dim = std::move(axes_per_dim);
  }

  void GatherThenSlice() {
    Lists gathered = now_;
    for (AxisList& axes : now_) axes.clear();
    EmitPerDim(CollectiveKind::kAllGather, std::move(gathered));
    mesh_id_ = to_.mesh_id();
    Lists sliced;
    for (int d = 0; d < rank_; ++d) sliced.push_back(now_[d] = to_.dim(d).axes);
    EmitPerDim(CollectiveKind::kAllSlice, std::move(sliced));
  }

  // --- handing out axes
  enum class End { kFront, kBack };

  // Gives axes of `available` to the dimensions that have capacity left; `taken`, if given, gets
  // those of each dimension.
  void Distribute(End end, AxisList& available, Lists* taken = nullptr) {
    AxisList parts;
    for (int d = 0; d < rank_; ++d) DistributeTo(d, end, available, parts, taken);
    AlignOut(parts);
  }

  void DistributeTo(int d, End end, AxisList& available, AxisList& parts, Lists* taken) {
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

  // After axes were split: the same cuts in out_.
  void AlignOut(const AxisList& parts) {
    if (parts.empty()) return;
    const AxisList sorted = Sorted(parts, mesh_);
    for (AxisList& axes : out_) Align(axes, sorted, mesh_);
  }

  // --- slice
  void Slice() {
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

  void AddSliced(int d, absl::Span<const AxisRef> axes, Lists& sliced) {
    for (const AxisRef axis : axes) {
      AddOrMerge(sliced[d], axis, mesh_);
      AddOrMerge(now_[d], axis, mesh_);
    }
  }

  // The axes that follow the last one of in_[src] in its home, if nobody holds them.
  void SliceToRideAlong(int src, Lists& sliced) {
    if (in_[src].empty() || !out_[src].empty()) return;
    const Place* home = HomeOf(in_[src].back());
    if (home == nullptr || !in_[home->dim].empty()) return;
    const int t = home->dim;
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
      const Place* other = HomeOf(in_[src][k]);
      if (other != nullptr && other->dim == t) return;
    }
    if (shape_[src] % (Parts(now_[src]) * Parts(ride)) != 0) return;
    const AxisList suffix(in_[src].begin() + before, in_[src].end());
    capacity_[t] /= Parts(suffix) * Parts(ride);
    in_[src].insert(in_[src].end(), ride.begin(), ride.end());
    held_.insert(ride.begin(), ride.end());
    AddSliced(src, ride, sliced);
  }

  static size_t AgreeingSuffix(const AxisList& a, absl::Span<const AxisRef> b) {
    size_t n = 0;
    while (n < a.size() && n < b.size() && a[a.size() - 1 - n] == b[b.size() - 1 - n]) ++n;
    return n;
  }

  void SliceInPlace(int d, Lists& sliced, AxisList& left) {
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

  // --- permute
  void Permute() {
    if (NeedsPermute()) {
      PermuteAxes();
    } else if (same_devices_) {
      return;
    }
    same_devices_ = true;
    mesh_id_ = to_.mesh_id();
    Emit(CollectiveKind::kCollectivePermute);
  }

  bool NeedsPermute() const {
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

  bool IsOutOfOrder(int d, std::optional<AxisRef>& free_in) const {
    std::optional<int> previous_dim;
    int previous_index = 0;
    std::set<int> seen;
    for (const AxisRef axis : in_[d]) {
      const Place* home = HomeOf(axis);
      if (home == nullptr) {
        if (previous_dim && out_[d].empty()) return true;
        free_in = axis;
        previous_dim.reset();
        continue;
      }
      const bool follows = previous_dim == home->dim && home->index == previous_index + 1;
      if ((home->dim == d || seen.count(home->dim) > 0) && !follows) return true;
      previous_dim = home->dim;
      previous_index = home->index;
      seen.insert(home->dim);
    }
    return false;
  }

  void PermuteAxes() {
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

  // Puts what belongs to dimension `d` there, as far as it has room; notes what is left of both
  // sides.
  void PermuteDim(int d, AxisList& out_left, AxisList& in_left) {
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
      if (HomeOf(axis) == nullptr) homeless.push_back(axis);
    }
    AxisList replaced;
    MoveFront(homeless, used, replaced);
    in_left = homeless;
    in_left.insert(in_left.end(), replaced.begin(), replaced.end());
    in_[d].clear();
  }

  // Moves axes from the front of `from` to `to` while they fit.
  void MoveFront(AxisList& from, int64_t& capacity, AxisList& to) {
    while (capacity > 1 && !from.empty()) {
      const std::optional<Portion> portion = TakePortion(from.front(), capacity, mesh_);
      if (!portion) return;
      from.erase(from.begin());
      to.push_back(portion->taken);
      if (portion->rest) from.insert(from.begin(), *portion->rest);
    }
  }

  // --- exchange
  void Exchange(bool in_order) {
    for (int src = 0; src < rank_; ++src) {
      while (ExchangeRun(src, in_order)) continue;
    }
  }

  bool ExchangeRun(int src, bool in_order) {
    AxisList& in = in_[src];
    const Place* home = in.empty() ? nullptr : HomeOf(in.back());
    if (home == nullptr || home->dim == src) return false;
    const int t = home->dim;
    size_t begin = in.size();
    while (begin > 0) {
      const Place* other = HomeOf(in[begin - 1]);
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

  void Arrive(AxisRef axis, int t, AxisList& moved) {
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

  // --- gather
  void Gather() {
    Lists gathered(rank_);
    for (int d = 0; d < rank_; ++d) {
      if (in_[d].empty() || HomeOf(in_[d].back()) != nullptr) continue;
      held_.erase(in_[d].back());
      RemoveFromBack(now_[d], in_[d]);
      for (const AxisRef axis : in_[d]) AddOrMerge(gathered[d], axis, mesh_);
      in_[d].clear();
    }
    EmitPerDim(CollectiveKind::kAllGather, std::move(gathered));
  }

  const absl::Span<const int64_t> shape_;
  const TensorSharding& to_;
  const Mesh& mesh_;
  MeshId mesh_id_;     // of the shardings at this moment
  bool same_devices_;  // the order of devices is the target's
  const int rank_;
  AxisList in_axes_, out_axes_;
  Lists in_, out_, now_;
  std::vector<int64_t> capacity_;
  absl::flat_hash_set<AxisRef> held_;
  absl::flat_hash_map<AxisRef, Place> home_;
  CollectivePlan plan_;
};

}  // namespace

absl::StatusOr<CollectivePlan> ToCollectives(absl::Span<const int64_t> shape,
                                             const TensorSharding& from, const TensorSharding& to,
                                             const MeshTable& meshes) {
  if (from.rank() != to.rank() || from.rank() != static_cast<int>(shape.size())) {
    return absl::InvalidArgumentError("the two shardings are not of one shape");
  }
  const Mesh& mesh = meshes.mesh(from.mesh_id());
  if (mesh.is_maximal() || meshes.mesh(to.mesh_id()).is_maximal()) {
    return absl::InvalidArgumentError("a single device is not reached by these collectives");
  }
  if (to.IsFullyReplicated()) {
    TensorSharding target = to;
    target.set_mesh_id(from.mesh_id());
    if (from.IsFullyReplicated()) return CollectivePlan();
    return Way(shape, from, target, meshes).Plan();
  }
  if (!mesh.SameAxes(meshes.mesh(to.mesh_id()))) {
    return absl::InvalidArgumentError("the two shardings are on different meshes");
  }
  return Way(shape, from, to, meshes).Plan();
}

}  // namespace tessera::sharding::reshard
