// Device groups along non-contracting dimensions of one operand. That operand is sharded like the
// result there. The other operand must be equal in all groups, so its shards across groups are
// gathered: the usual all-gather of weights. XLA: dot_handler,
// PartitionDotGroupOnNonContractingImpl.

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "tessera/sharding/partition/ops/dot/dot.h"
#include "tessera/sharding/partition/ops/dot/windows.h"

namespace tessera::sharding::partition {
namespace {

class NonContractingGroups {
 public:
  NonContractingGroups(DotJob& job, const DotTask& task, Side side, DotDimList matching_dims)
      : job_(job),
        task_(task),
        side_(side),
        other_side_(side == Side::kLhs ? Side::kRhs : Side::kLhs),
        matching_dims_(std::move(matching_dims)),
        matching_(side == Side::kLhs ? task.lhs : task.rhs),
        other_(side == Side::kLhs ? task.rhs : task.lhs),
        groups_(Known()) {
    const DotDims& dims = job_.dims;
    const DotDimList& others_own =
        side == Side::kLhs ? dims.rhs_non_contracting : dims.lhs_non_contracting;
    matching_contracting_ = CutsOf(matching_.tiling, dims.contracting, side_);
    other_contracting_ = CutsOf(other_.tiling, dims.contracting, other_side_);
    other_own_ = CutsOf(other_.tiling, others_own, other_side_);
    out_other_own_ = CutsOf(task.out, others_own, Side::kOut);
  }

  std::optional<NonContractingGrouping> Look() {
    if (!groups_.operand.has_value()) return std::nullopt;
    return NonContractingGrouping{groups_.out, *groups_.operand, OtherGroups(other_)};
  }

  DotTry Run() {
    const std::optional<Grouping>& matching = groups_.operand;
    if (!matching.has_value() || !IsDescribed(*matching)) return std::nullopt;
    const Tiling& wanted = *groups_.wanted;
    if (task_.strict && matching_.tiling != wanted) return std::nullopt;
    const std::optional<Grouping> other = FindOtherGroups();
    if (!other.has_value()) other_ = Replicate(other_);
    matching_ = Reshard(matching_, wanted);
    DeviceGroupScope& scope = matching_.scope->PerGroup(matching->devices);
    const PartitionedHlo inner_matching = {matching_.node, GroupShape(*matching, matching_.base),
                                           matching->inner, &scope};
    PartitionedHlo inner_other = GatheredOther(other);
    inner_other.base = other_.base;
    inner_other.scope = &scope;
    DotTask inner = task_;
    inner.lhs = side_ == Side::kLhs ? inner_matching : inner_other;
    inner.rhs = side_ == Side::kLhs ? inner_other : inner_matching;
    inner.out_base = GroupShape(groups_.out, task_.out_base);
    inner.out = groups_.out.inner;
    inner.devices = task_.devices / matching->devices.groups();
    return SolveDot(job_, inner);
  }

 private:
  // Dots differ in shapes more often than in how they lie; and each may be tried twice.
  const MatchedGroups& Known() const {
    Graph& graph = matching_.scope->graph();
    absl::InlinedVector<uint64_t, 16> words = {graph.reshard_cache().NumberOf(matching_.tiling),
                                               graph.reshard_cache().NumberOf(task_.out)};
    for (const DotDim& dim : matching_dims_) {
      words.push_back(static_cast<uint64_t>(DimOf(dim, side_)));
      words.push_back(static_cast<uint64_t>(dim.out));
    }
    return graph.known_tilings().matched.Of(words, [&] {
      MatchedGroups found;
      found.out = GroupOn(task_.out, DimsOf(matching_dims_, Side::kOut));
      found.operand = MatchingGroups(found.out);
      if (found.operand.has_value() && CanUngroup(*found.operand)) {
        found.wanted = Ungroup(*found.operand);
      }
      return found;
    });
  }

  std::optional<Grouping> MatchingGroups(const Grouping& out) const {
    Dims cuts(matching_.tiling.dims().begin(), matching_.tiling.dims().end());
    for (const DotDim& dim : matching_dims_) At(cuts, DimOf(dim, side_)) = task_.out.dim(dim.out);
    if (Product(cuts) != matching_.tiling.num_devices()) return std::nullopt;
    return Align(GroupOn(Tiling::Like(matching_.tiling.grid().Reshape(cuts), matching_.tiling),
                         DimsOf(matching_dims_, side_)),
                 out);
  }

  // From the tiling of the other operand, or from the one that result and matching operand imply.
  std::optional<Grouping> FindOtherGroups() {
    if (const auto found = OtherGroups(other_)) return found;
    if (other_.tiling.IsReplicated() || !job_.dims.spatial.empty()) return std::nullopt;
    const Tiling implied = ImpliedOperand(task_.out, &matching_.tiling, other_side_, job_.dims);
    const PartitionedHlo moved = Reshard(other_, implied);
    const auto found = OtherGroups(moved);
    if (found.has_value()) other_ = moved;
    return found;
  }

  std::optional<Grouping> OtherGroups(const PartitionedHlo& other) const {
    const int64_t groups = groups_.out.devices.groups();
    const Tiling& tiling = other.tiling;
    Dims dims;
    if (tiling.LastIsReplicated() && tiling.replicas() % groups == 0) {
      if (const auto found = AmongReplicas(tiling, groups)) return found;
      dims.push_back(tiling.num_dims() - 1);
    } else if (const auto& found = KnownDimsOfGroups(tiling)) {
      dims = *found;
    } else if (!DimsToGiveUp(other, groups, &dims)) {
      return std::nullopt;
    }
    if (!tiling.IsTiled()) return std::nullopt;
    if (dims.size() == 1 && dims[0] == tiling.num_dims() - 1) {
      return Align(GroupOn(tiling, dims, {tiling.dims().back() / groups}), groups_.out,
                   /*any_order=*/true);
    }
    return Align(GroupOn(tiling, dims), groups_.out, /*any_order=*/true);
  }

  // Groups among the replicas, or along a dimension swapped with them. Linear in the devices, and so
  // found once.
  std::optional<Grouping> AmongReplicas(const Tiling& tiling, int64_t groups) const {
    Graph& graph = matching_.scope->graph();
    return graph.known_tilings().among_replicas.Of(graph.KeyOf(tiling, groups_.out.devices), [&] {
      return FindAmongReplicas(tiling, groups);
    });
  }

  std::optional<Grouping> FindAmongReplicas(const Tiling& tiling, int64_t groups) const {
    for (int64_t i = tiling.num_dims(); i-- > 0;) {
      if (tiling.dim(i) % groups != 0) continue;
      Dims order = Iota(tiling.num_dims());
      std::swap(At(order, i), order.back());
      const Tiling swapped = i == tiling.num_dims() - 1 ? tiling : Transpose(tiling, order);
      if (!swapped.LastIsReplicated()) continue;
      if (auto found = GroupReplicasAs(swapped, swapped.replicas() / groups, groups_.out.devices)) {
        return found;
      }
    }
    return std::nullopt;
  }

  const std::optional<Dims>& KnownDimsOfGroups(const Tiling& tiling) const {
    Graph& graph = matching_.scope->graph();
    return graph.known_tilings().dims_of_groups.Of(graph.KeyOf(tiling, groups_.out.devices), [&] {
      return DimsOfGroups(tiling, groups_.out.devices);
    });
  }

  bool DimsToGiveUp(const PartitionedHlo& other, int64_t groups, Dims* dims) const {
    const bool contracting = other_contracting_ == groups && other_own_ == out_other_own_;
    const bool own = groups == other_own_ && matching_contracting_ == other_contracting_;
    const Shape out_shard = ShardShape(task_.out_base, task_.out);
    if (contracting &&
        (!own || Bytes(other.scope->graph().shape(other.node)) <= Bytes(out_shard))) {
      *dims = DimsOf(job_.dims.contracting, other_side_);
      return true;
    }
    if (!own) return false;
    *dims =
        DimsOf(side_ == Side::kLhs ? job_.dims.rhs_non_contracting : job_.dims.lhs_non_contracting,
               other_side_);
    return true;
  }

  bool IsDescribed(const Grouping& groups) const {
    if (CanUngroup(groups)) return true;
    other_.scope->graph().Fail(
        "its operands are not manual on the same axes, which is not described");
    return false;
  }

  // The other operand as a group has it.
  PartitionedHlo GatheredOther(const std::optional<Grouping>& groups) {
    if (groups.has_value() && !IsDescribed(*groups)) return other_;
    if (groups.has_value() && groups->dims.size() == 1 && groups->dims[0] == other_.base.rank()) {
      other_ = Reshard(other_, Ungroup(*groups));
      PartitionedHlo out = other_;
      out.tiling = groups->inner;
      return out;
    }
    if (!groups.has_value() || other_.tiling.IsReplicated()) return other_;
    const Tiling wanted = Ungroup(*groups);
    const bool same = SameGroups(GroupOn(wanted, groups->dims).devices, groups->devices);
    if (!other_.tiling.LastIsReplicated() || !same) other_ = Reshard(other_, wanted);
    Dims data;
    for (int64_t dim : groups->dims) {
      if (dim < other_.base.rank()) data.push_back(dim);
    }
    PartitionedHlo out = Reshard(other_, ReplicateOn(other_.tiling, data));
    out.tiling = groups->inner;
    return out;
  }

  DotJob& job_;
  const DotTask& task_;
  const Side side_, other_side_;
  const DotDimList matching_dims_;
  PartitionedHlo matching_, other_;
  const MatchedGroups& groups_;
  int64_t matching_contracting_, other_contracting_, other_own_, out_other_own_;
};

// Dimensions that operand and result shard alike.
DotDimList CutAlike(const DotDimList& dims, const Tiling& operand, Side side, const Tiling& out) {
  DotDimList found;
  for (const DotDim& dim : dims) {
    const int64_t at = DimOf(dim, side);
    const int64_t out_cuts = dim.out < 0 ? 1 : out.dim(dim.out);
    if (at >= 0 && operand.dim(at) > 1 && operand.dim(at) == out_cuts) found.push_back(dim);
  }
  return found;
}

}  // namespace

std::optional<NonContractingGrouping> NonContractingGroupingOf(DotJob& job, const DotTask& task,
                                                               Side side) {
  const DotDims& dims = job.dims;
  return NonContractingGroups(
             job, task, side,
             side == Side::kLhs ? dims.lhs_non_contracting : dims.rhs_non_contracting)
      .Look();
}

DotTry DotGroupOnNonContracting(DotJob& job, const DotTask& task) {
  const DotDims& dims = job.dims;
  const int64_t lhs = CutsOf(task.lhs.tiling, dims.lhs_non_contracting, Side::kLhs);
  const int64_t rhs = CutsOf(task.rhs.tiling, dims.rhs_non_contracting, Side::kRhs);
  const int64_t out_lhs = CutsOf(task.out, dims.lhs_non_contracting, Side::kOut);
  const int64_t out_rhs = CutsOf(task.out, dims.rhs_non_contracting, Side::kOut);
  const bool lhs_fits = lhs == out_lhs && lhs > 1, rhs_fits = rhs == out_rhs && rhs > 1;
  Side side = Side::kRhs;
  DotDimList matching;
  if (lhs_fits || rhs_fits) {
    const Graph& graph = task.lhs.scope->graph();
    // Where both fit, the one that leaves less of the other to be gathered.
    if (lhs_fits && (!rhs_fits || lhs * Bytes(graph.shape(task.rhs.node)) <
                                      rhs * Bytes(graph.shape(task.lhs.node)))) {
      side = Side::kLhs;
    }
    if (lhs_fits && rhs_fits) {
      if (const auto is_lhs = LhsMakesGroups(job, task)) side = *is_lhs ? Side::kLhs : Side::kRhs;
    }
    matching = side == Side::kLhs ? dims.lhs_non_contracting : dims.rhs_non_contracting;
  } else if (lhs > 1 && out_lhs > 1) {
    side = Side::kLhs;
    matching = CutAlike(dims.lhs_non_contracting, task.lhs.tiling, side, task.out);
  } else if (rhs > 1 && out_rhs > 1) {
    matching = CutAlike(dims.rhs_non_contracting, task.rhs.tiling, side, task.out);
  }
  if (matching.empty()) return std::nullopt;
  return NonContractingGroups(job, task, side, matching).Run();
}

}  // namespace tessera::sharding::partition
