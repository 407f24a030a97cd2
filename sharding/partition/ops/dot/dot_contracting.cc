// Device groups along contracting dimensions: each group holds a partial sum, and an all-reduce
// adds them. If the result is sharded over the groups, a slice follows the all-reduce; later passes
// turn both into a reduce-scatter. XLA: dot_handler, PartitionDotGroupOnContractingImpl.

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "tessera/sharding/partition/ops/dot/dot.h"

namespace tessera::sharding::partition {
namespace {

// The steps after the partial sums.
struct SumPlan {
  Tiling inner;           // of the result inside a group
  Tiling outer;           // of the result when the groups are done
  Dims slice_dims;        // of the result, cut among the groups
  bool replicas = false;  // its replicas are among the groups too
};

class ContractingGroups {
 public:
  ContractingGroups(DotJob& job, const DotTask& task, DotDimList dims)
      : job_(job), task_(task), sum_dims_(std::move(dims)), lhs_(task.lhs), rhs_(task.rhs) {}

  std::optional<ContractingGrouping> Look() {
    if (!FindGroups()) return std::nullopt;
    const SumPlan plan = MakePlan(lhs_groups_.devices.groups());
    return ContractingGrouping{lhs_groups_, rhs_groups_, plan.inner, OutBase(plan)};
  }

  DotTry Run() {
    if (!FindGroups()) return std::nullopt;
    PartitionedHlo& smaller = lhs_larger_ ? rhs_ : lhs_;
    smaller = Reshard(smaller, wanted_);
    lhs_ = MaskedWithZeroOn(lhs_, DimsOf(sum_dims_, Side::kLhs));
    rhs_ = MaskedWithZeroOn(rhs_, DimsOf(sum_dims_, Side::kRhs));
    const SumPlan plan = MakePlan(lhs_groups_.devices.groups());
    if (const DotTry node = RunInWindows(plan)) return node;
    DotTask inner = InnerTask(plan);
    inner.out_base = OutBase(plan);
    DeviceGroupScope& outer_scope = *lhs_.scope;
    const Tiling lhs_tiling = lhs_tiling_;
    job_.wrapped = [&, lhs_tiling](const PartitionedHlo& lhs, const PartitionedHlo& rhs,
                                   const hlo::Window& window) {
      return SumUp(job_.local(lhs, rhs, window), plan, lhs_tiling, outer_scope);
    };
    const NodeId node = SolveDot(job_, inner);
    job_.wrapped = nullptr;
    return Reshard({node, task_.out_base, plan.outer, &outer_scope}, task_.out).node;
  }

 private:
  static Tiling KeptOnly(const Tiling& tiling, Ints dims) {
    return ReplicateOnAllExcept(tiling, dims);
  }

  // The smaller operand takes the shards and groups of the larger one.
  bool FindGroups() {
    Graph& graph = lhs_.scope->graph();
    lhs_larger_ = Bytes(graph.shape(lhs_.node)) > Bytes(graph.shape(rhs_.node));
    const PartitionedHlo& smaller = lhs_larger_ ? rhs_ : lhs_;
    const PartitionedHlo& larger = lhs_larger_ ? lhs_ : rhs_;
    const Side smaller_side = lhs_larger_ ? Side::kRhs : Side::kLhs;
    const Side larger_side = lhs_larger_ ? Side::kLhs : Side::kRhs;
    absl::InlinedVector<uint64_t, 16> words = {graph.reshard_cache().NumberOf(smaller.tiling),
                                               graph.reshard_cache().NumberOf(larger.tiling)};
    for (const DotDim& dim : sum_dims_) {
      words.push_back(static_cast<uint64_t>(DimOf(dim, smaller_side)));
      words.push_back(static_cast<uint64_t>(DimOf(dim, larger_side)));
    }
    const std::optional<SummedGroups>& found = graph.known_tilings().summed.Of(
        words, [&] { return GroupsOf(smaller.tiling, smaller_side, larger.tiling, larger_side); });
    if (!found.has_value() || (task_.strict && smaller.tiling != found->wanted)) return false;
    wanted_ = found->wanted;
    lhs_groups_ = lhs_larger_ ? found->larger : found->smaller;
    rhs_groups_ = lhs_larger_ ? found->smaller : found->larger;
    lhs_tiling_ = lhs_larger_ ? larger.tiling : wanted_;
    return true;
  }

  std::optional<SummedGroups> GroupsOf(const Tiling& smaller, Side smaller_side,
                                       const Tiling& larger, Side larger_side) const {
    Dims cuts(smaller.dims().begin(), smaller.dims().end());
    for (const DotDim& dim : sum_dims_) {
      At(cuts, DimOf(dim, smaller_side)) = larger.dim(DimOf(dim, larger_side));
    }
    if (Product(cuts) != smaller.num_devices()) return std::nullopt;
    SummedGroups found;
    found.larger = GroupOn(larger, DimsOf(sum_dims_, larger_side));
    found.smaller = Align(GroupOn(Tiling::Like(smaller.grid().Reshape(cuts), smaller),
                                  DimsOf(sum_dims_, smaller_side)),
                          found.larger);
    found.wanted = Ungroup(found.smaller);
    return found;
  }

  Shape OutBase(const SumPlan& plan) const {
    if (plan.slice_dims.empty()) return task_.out_base;
    return ShardShape(task_.out_base, KeptOnly(task_.out, plan.slice_dims));
  }

  DotTask InnerTask(const SumPlan& plan) {
    DeviceGroupScope& scope = lhs_.scope->PerGroup(lhs_groups_.devices);
    DotTask inner = task_;
    inner.lhs = {lhs_.node, GroupShape(lhs_groups_, lhs_.base), lhs_groups_.inner, &scope};
    inner.rhs = {rhs_.node, GroupShape(rhs_groups_, rhs_.base), rhs_groups_.inner, &scope};
    inner.out = plan.inner;
    inner.devices = task_.devices / lhs_groups_.devices.groups();
    return inner;
  }

  // With windows inside a group, the sum is of the group's whole result, after the loop.
  DotTry RunInWindows(SumPlan plan) {
    DeviceGroupScope& scope = *lhs_.scope;
    if (!scope.graph().options().windows.has_value()) return std::nullopt;
    const int64_t before = job_.windows;
    NodeId node = SolveDot(job_, InnerTask(plan));
    if (job_.windows == before) return std::nullopt;
    node = scope.AllReduceOver(node, lhs_tiling_, DimsOf(sum_dims_, Side::kLhs),
                               SumOf(task_.out_base));
    if (plan.outer.IsTiled()) plan.outer = ReplicateOn(plan.outer, plan.slice_dims);
    return Reshard({node, task_.out_base, plan.outer, &scope}, task_.out).node;
  }

  // If one operand is replicated in a group, the result may take the sharding of the other one, if that
  // is coarser than the requested sharding.
  Tiling CoarserResult(int64_t groups) const {
    const Tiling& out = task_.out;
    if (!out.IsTiled() || (out.LastIsReplicated() && out.replicas() % groups == 0)) return out;
    const bool lhs_whole = lhs_groups_.inner.IsReplicated();
    if (lhs_whole == rhs_groups_.inner.IsReplicated()) return out;
    const Side side = lhs_whole ? Side::kRhs : Side::kLhs;
    const Tiling operand = ReplicateOn(Ungroup(lhs_whole ? rhs_groups_ : lhs_groups_),
                                       DimsOf(job_.dims.contracting, side));
    const auto carried = Carried(operand, job_.dims, side, Side::kOut);
    return carried.has_value() && Refines(task_.out_base, out, *carried) ? *carried : out;
  }

  SumPlan MakePlan(int64_t groups) const {
    SumPlan plan;
    const Tiling out = CoarserResult(groups);
    if (out.LastIsReplicated() && out.replicas() % groups == 0) {
      const Grouping g = Align(GroupOn(out, {out.num_dims() - 1}, {out.replicas() / groups}),
                               lhs_groups_, /*any_order=*/true);
      plan.outer = Ungroup(g);
      plan.inner = g.inner;
    } else if (const auto found = DimsOfGroups(out, lhs_groups_.devices)) {
      plan.slice_dims = *found;
      if (!found->empty()) {
        plan.inner = GroupOn(out, *found).inner;
        plan.outer = out;
      }
    } else if (!out.IsReplicated()) {
      plan.slice_dims = SliceDims(out, groups);
      if (!plan.slice_dims.empty()) {
        const Grouping g = Align(GroupOn(out, plan.slice_dims), lhs_groups_);
        plan.inner = g.inner;
        plan.outer = Ungroup(g);
      }
    }
    const int64_t rank = task_.out_base.rank();
    plan.replicas = Contains(plan.slice_dims, rank);
    if (out.LastIsReplicated()) {
      plan.slice_dims.erase(std::remove(plan.slice_dims.begin(), plan.slice_dims.end(), rank),
                            plan.slice_dims.end());
    }
    return plan;
  }

  Dims SliceDims(const Tiling& out, int64_t groups) const {
    const DotDims& dims = job_.dims;
    for (const DotDimList* list :
         {&dims.lhs_non_contracting, &dims.rhs_non_contracting, &dims.batch}) {
      // As in XLA, which reads the requested tiling.
      if (CutsOf(task_.out, *list, Side::kOut) == groups && out.IsTiled()) {
        return DimsOf(*list, Side::kOut);
      }
    }
    return {};
  }

  NodeId SumUp(NodeId part, const SumPlan& plan, const Tiling& lhs_tiling,
               DeviceGroupScope& scope) const {
    const Reduction sum = SumOf(task_.out_base);
    if (plan.slice_dims.empty()) {
      return scope.AllReduceOver(part, lhs_tiling, DimsOf(sum_dims_, Side::kLhs), sum);
    }
    NodeId node = scope.AllReduceOver(part, plan.outer, plan.slice_dims, sum);
    // Replicated only as far as these groups are concerned: nothing to be remembered.
    const PartitionedHlo whole = {node, scope.graph().shape(node), Tiling::Replicated(),
                                  &scope.WithoutCache()};
    node = Reshard(whole, KeptOnly(plan.outer, plan.slice_dims)).node;
    if (!plan.replicas) return node;
    return scope.AllReduceOver(node, plan.outer, {task_.out_base.rank()}, sum);
  }

  DotJob& job_;
  const DotTask& task_;
  const DotDimList sum_dims_;
  PartitionedHlo lhs_, rhs_;
  bool lhs_larger_ = false;
  Grouping lhs_groups_, rhs_groups_;
  Tiling wanted_;      // of the smaller operand
  Tiling lhs_tiling_;  // after the smaller operand moved
};

}  // namespace

std::optional<ContractingGrouping> ContractingGroupingOf(DotJob& job, const DotTask& task) {
  return ContractingGroups(job, task, job.dims.contracting).Look();
}

DotTry DotGroupOnContracting(DotJob& job, const DotTask& task) {
  const DotDims& dims = job.dims;
  const int64_t lhs = CutsOf(task.lhs.tiling, dims.contracting, Side::kLhs);
  const int64_t rhs = CutsOf(task.rhs.tiling, dims.contracting, Side::kRhs);
  if (lhs == rhs && lhs > 1) {
    if (const DotTry node = ContractingGroups(job, task, dims.contracting).Run()) return node;
  }
  if (lhs == 1 || rhs == 1) return std::nullopt;
  DotDimList alike;
  for (const DotDim& dim : dims.contracting) {
    const int64_t cuts = task.lhs.tiling.dim(dim.lhs);
    if (cuts > 1 && cuts == task.rhs.tiling.dim(dim.rhs)) alike.push_back(dim);
  }
  if (alike.empty()) return std::nullopt;
  return ContractingGroups(job, task, alike).Run();
}

}  // namespace tessera::sharding::partition
