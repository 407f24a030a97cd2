// Device groups along batch dimensions: operands and result hold the same batches in a group.
// XLA: dot_handler, PartitionDotGroupOnBatchImpl.

#include <utility>

#include "tessera/sharding/partition/ops/dot/dot.h"

namespace tessera::sharding::partition {
namespace {

// Cuts of every dimension; 1 for all if the value is replicated.
Dims CutsOfAll(const Tiling& tiling, int64_t rank) {
  if (!tiling.IsTiled()) return Dims(static_cast<size_t>(rank), 1);
  return Dims(tiling.dims().begin(), tiling.dims().end());
}

PartitionedHlo Inside(const PartitionedHlo& value, const Grouping& groups,
                      DeviceGroupScope& scope) {
  return {value.node, GroupShape(groups, value.base), groups.inner, &scope};
}

class BatchGroups {
 public:
  BatchGroups(DotJob& job, const DotTask& task, const DotDims& dims)
      : job_(job), task_(task), dims_(dims), lhs_(task.lhs), rhs_(task.rhs) {}

  DotTry Run() {
    out_groups_ = GroupOn(task_.out, DimsOf(dims_.batch, Side::kOut));
    if (!(OperandsAgree() ? MeetEachOther() : MeetResult())) return std::nullopt;
    DotTask inner = task_;
    inner.lhs = inner_lhs_;
    inner.rhs = inner_rhs_;
    inner.out_base = GroupShape(out_groups_, task_.out_base);
    inner.out = out_groups_.inner;
    inner.devices = task_.devices / out_groups_.devices.groups();
    // Inside, batches of groups are whatever the operation itself calls its dimensions.
    const DotDims outer = std::exchange(job_.dims, dims_);
    const NodeId node = SolveDot(job_, inner);
    job_.dims = outer;
    return Reshard({node, task_.out_base, Ungroup(out_groups_), lhs_.scope}, task_.out).node;
  }

 private:
  Dims Batch(Side side) const { return DimsOf(dims_.batch, side); }

  bool OperandsAgree() const {
    for (const DotDim& dim : dims_.batch) {
      if (lhs_.tiling.dim(dim.lhs) != rhs_.tiling.dim(dim.rhs)) return false;
    }
    if (!task_.strict) return true;
    if (!lhs_.tiling.IsTiled() || !rhs_.tiling.IsTiled()) return false;
    return rhs_.tiling == AlignOn(rhs_.tiling, Batch(Side::kRhs), lhs_.tiling, Batch(Side::kLhs));
  }

  // The smaller operand takes the groups of the larger one.
  bool MeetEachOther() {
    Graph& graph = lhs_.scope->graph();
    Grouping lhs = GroupOn(lhs_.tiling, Batch(Side::kLhs));
    Grouping rhs = GroupOn(rhs_.tiling, Batch(Side::kRhs));
    if (Bytes(graph.shape(lhs_.node)) > Bytes(graph.shape(rhs_.node))) {
      rhs = Align(rhs, lhs);
      rhs_ = Reshard(rhs_, Ungroup(rhs));
    } else {
      lhs = Align(lhs, rhs);
      lhs_ = Reshard(lhs_, Ungroup(lhs));
    }
    Dims out(task_.out.dims().begin(), task_.out.dims().end());
    for (const DotDim& dim : dims_.batch) At(out, dim.out) = task_.lhs.tiling.dim(dim.lhs);
    if (Product(out) != task_.out.num_devices()) return false;
    out_groups_ = Align(
        GroupOn(Tiling::Like(task_.out.grid().Reshape(out), task_.out), Batch(Side::kOut)), lhs);
    DeviceGroupScope& scope = lhs_.scope->PerGroup(lhs.devices);
    inner_lhs_ = Inside(lhs_, lhs, scope);
    inner_rhs_ = Inside(rhs_, rhs, scope);
    return true;
  }

  bool MeetResult() {
    DeviceGroupScope& scope = lhs_.scope->PerGroup(out_groups_.devices);
    const int64_t lhs_contracting = CutsOf(lhs_.tiling, dims_.contracting, Side::kLhs);
    const int64_t rhs_contracting = CutsOf(rhs_.tiling, dims_.contracting, Side::kRhs);
    const auto lhs = OperandInGroups(lhs_, Side::kLhs, dims_.lhs_non_contracting, lhs_contracting,
                                     rhs_contracting, scope);
    if (!lhs.has_value()) return false;
    inner_lhs_ = *lhs;
    const auto rhs = OperandInGroups(rhs_, Side::kRhs, dims_.rhs_non_contracting, rhs_contracting,
                                     lhs_contracting, scope);
    if (!rhs.has_value()) return false;
    inner_rhs_ = *rhs;
    return true;
  }

  // The operand with the batch shards of the result; other shards are given up as needed.
  std::optional<PartitionedHlo> OperandInGroups(const PartitionedHlo& operand, Side side,
                                                const DotDimList& own, int64_t contracting,
                                                int64_t other_contracting,
                                                DeviceGroupScope& scope) {
    const Dims batch = Batch(side);
    if (!operand.tiling.IsTiled()) {
      const PartitionedHlo whole = Replicate(operand);
      const NodeId node = SliceForGroups(whole, batch, out_groups_);
      return PartitionedHlo{node, operand.scope->graph().shape(node), Tiling::Replicated(), &scope};
    }
    Dims cuts = CutsOfAll(operand.tiling, operand.base.rank());
    for (const DotDim& dim : dims_.batch) At(cuts, DimOf(dim, side)) = task_.out.dim(dim.out);
    if (!FitDevices(cuts, operand.tiling, side, own, contracting, other_contracting)) {
      return std::nullopt;
    }
    const TileAssignment grid = operand.tiling.grid().Reshape(cuts);
    const Grouping groups = Align(
        GroupOn(operand.base.rank() < Size(cuts) ? Tiling::Partial(grid) : Tiling::Tiled(grid),
                batch),
        out_groups_);
    const Tiling wanted = Ungroup(groups);
    if (task_.strict && operand.tiling != wanted) return std::nullopt;
    return Inside(Reshard(operand, wanted), groups, scope);
  }

  bool FitDevices(Dims& cuts, const Tiling& tiling, Side side, const DotDimList& own,
                  int64_t contracting, int64_t other_contracting) const {
    const int64_t devices = tiling.num_devices();
    const int64_t wanted = Product(cuts);
    if (wanted <= devices) return wanted == devices;
    if (wanted % devices != 0) return false;
    const int64_t ratio = wanted / devices;
    const auto drop = [&cuts, side](const DotDimList& list) {
      for (const DotDim& dim : list) At(cuts, DimOf(dim, side)) = 1;
    };
    if (tiling.LastIsReplicated() && tiling.replicas() % ratio == 0) {
      cuts.back() /= ratio;
      if (cuts.back() == 1) cuts.pop_back();
    } else if (ratio == CutsOf(tiling, own, side) &&
               (ratio != contracting || contracting == other_contracting)) {
      drop(own);
    } else if (ratio == contracting) {
      drop(dims_.contracting);
    } else {
      return false;
    }
    return Product(cuts) == devices;
  }

  DotJob& job_;
  const DotTask& task_;
  const DotDims& dims_;
  PartitionedHlo lhs_, rhs_, inner_lhs_, inner_rhs_;
  Grouping out_groups_;
};

}  // namespace

DotTry DotGroupOnBatchOf(DotJob& job, const DotTask& task, const DotDims& dims) {
  return BatchGroups(job, task, dims).Run();
}

DotTry DotGroupOnBatch(DotJob& job, const DotTask& task) {
  const int64_t out = CutsOf(task.out, job.dims.batch, Side::kOut);
  if (out == 1) return std::nullopt;
  if (out != CutsOf(task.lhs.tiling, job.dims.batch, Side::kLhs) &&
      out != CutsOf(task.rhs.tiling, job.dims.batch, Side::kRhs)) {
    return std::nullopt;
  }
  const DotDims dims = job.dims;
  return DotGroupOnBatchOf(job, task, dims);
}

}  // namespace tessera::sharding::partition
