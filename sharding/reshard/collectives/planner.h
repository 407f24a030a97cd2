// Shardy's plan for one tensor: the data and the phases after ToCollectives() (to_collectives.h).
// planner.cc says what the lists hold.

#ifndef TESSERA_SHARDING_RESHARD_COLLECTIVES_PLANNER_H_
#define TESSERA_SHARDING_RESHARD_COLLECTIVES_PLANNER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/reshard/collectives/axis_alignment.h"
#include "tessera/sharding/reshard/to_collectives.h"

namespace tessera::sharding::reshard {

AxisList SortedByName(AxisList axes, const Mesh& mesh);

class ShardyPlanner {
 public:
  using Lists = std::vector<AxisList>;  // one for each dimension

  ShardyPlanner(absl::Span<const int64_t> shape, const TensorSharding& from,
                const TensorSharding& to, const MeshTable& meshes);

  CollectivePlan Plan();

 private:
  struct Place {
    int dim;
    int index;
  };

  int64_t Size(AxisRef a) const { return a.size(mesh_); }
  int64_t Parts(const AxisList& axes) const { return ShardedSize(axes, mesh_); }
  bool IsHeld(AxisRef a) const { return held_.contains(a); }
  const Place* PlaceOf(AxisRef a) const {
    const auto found = home_.find(a);
    return found == home_.end() ? nullptr : &found->second;
  }

  bool IsDone() const {
    const auto empty = [](const AxisList& axes) { return axes.empty(); };
    return same_devices_ && absl::c_all_of(in_, empty) && absl::c_all_of(out_, empty);
  }

  bool Coexist() const;

  void Prepare();

  void FindHomes();

  Collective& Emit(CollectiveKind kind);

  void EmitPerDim(CollectiveKind kind, Lists axes_per_dim) {
    if (absl::c_all_of(axes_per_dim, [](const AxisList& axes) { return axes.empty(); })) return;
    Emit(kind).axes_per_dim = std::move(axes_per_dim);
  }

  void GatherThenSlice();

  enum class End { kFront, kBack };

  // Gives axes of `available` to the dimensions that have capacity left; `taken`, if given, gets
  // those of each dimension.
  void Distribute(End end, AxisList& available, Lists* taken = nullptr);

  void DistributeTo(int d, End end, AxisList& available, AxisList& parts, Lists* taken);

  // After axes were split: the same cuts in out_.
  void AlignOut(const AxisList& parts);

  void Slice();

  void AddSliced(int d, absl::Span<const AxisRef> axes, Lists& sliced);

  // The axes that follow the last one of in_[src] in its place, if nobody holds them.
  void SliceToRideAlong(int src, Lists& sliced);

  static size_t AgreeingSuffix(const AxisList& a, absl::Span<const AxisRef> b);

  void SliceInPlace(int d, Lists& sliced, AxisList& left);

  void Permute();

  bool NeedsPermute() const;

  bool IsOutOfOrder(int d, std::optional<AxisRef>& free_in) const;

  void PermuteAxes();

  // Puts what belongs to dimension `d` there, as far as it has room; notes what is left of both
  // sides.
  void PermuteDim(int d, AxisList& out_left, AxisList& in_left);

  // Moves axes from the front of `from` to `to` while they fit.
  void MoveFront(AxisList& from, int64_t& capacity, AxisList& to);

  void Exchange(bool in_order);

  bool ExchangeRun(int src, bool in_order);

  void Arrive(AxisRef axis, int t, AxisList& moved);

  void Gather();

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

}  // namespace tessera::sharding::reshard

#endif  // TESSERA_SHARDING_RESHARD_COLLECTIVES_PLANNER_H_
