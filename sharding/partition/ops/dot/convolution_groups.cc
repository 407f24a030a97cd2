// Grouped convolutions, with the group dimension as a batch dimension. XLA: convolution_handler,
// PartitionConvolutionGroupOnFeatureGroupDimension and
// PartitionConvolutionGroupOnBatchGroupDimension.

#include <algorithm>

#include "tessera/sharding/partition/ops/dot/convolution.h"

namespace tessera::sharding::partition {
namespace {

// The dimensions with the groups as a batch.
DotDims WithGroupsAsBatch(const Convolution& op, const DotDims& dims) {
  const hlo::ConvolutionDimensions& n = op.numbers;
  DotDims out = dims;
  const auto is_plain = [](const DotDim& dim) { return dim.spatial < 0; };
  const auto drop = [&is_plain](DotDimList& list) {
    list.erase(std::remove_if(list.begin(), list.end(), is_plain), list.end());
  };
  drop(out.lhs_non_contracting);
  drop(out.rhs_non_contracting);
  if (op.feature_groups > 1) {
    drop(out.contracting);
    out.batch.push_back({n.input_feature, n.kernel_output_feature, n.output_feature, -1});
    out.lhs_non_contracting.push_back({n.input_batch, -1, -1, -1});
    out.rhs_non_contracting.push_back({-1, n.kernel_input_feature, -1, -1});
  } else {
    out.batch.push_back({n.input_batch, n.kernel_output_feature, n.output_feature, -1});
  }
  return out;
}

// Keeps only the shards of the group dimension, as in the array that has most of them.
DotTry KeepGroupsOnly(DotJob& job, const DotTask& task, const DotDims& dims, int64_t groups) {
  const DotDimList batch = {dims.batch.back()};
  const int64_t lhs = CutsOf(task.lhs.tiling, batch, Side::kLhs);
  const int64_t rhs = CutsOf(task.rhs.tiling, batch, Side::kRhs);
  const int64_t out = CutsOf(task.out, batch, Side::kOut);
  const int64_t most = std::max({lhs, rhs, out});
  if (most == 1 || groups % most != 0) return std::nullopt;
  const Side side = lhs == most ? Side::kLhs : rhs == most ? Side::kRhs : Side::kOut;
  const Tiling& from = side == Side::kLhs   ? task.lhs.tiling
                       : side == Side::kRhs ? task.rhs.tiling
                                            : task.out;
  const Tiling kept = ReplicateOnAllExcept(from, DimsOf(batch, side));
  const auto as = [&](Side to) {
    return side == to ? kept : Carried(kept, dims, side, to).value_or(Tiling::Replicated());
  };
  const PartitionedHlo left = Reshard(task.lhs, as(Side::kLhs));
  const NodeId node = job.Local(left, Reshard(task.rhs, as(Side::kRhs)));
  return Reshard({node, task.out_base, as(Side::kOut), task.lhs.scope}, task.out).node;
}

}  // namespace

DotTry ConvolveInGroups(DotJob& job, const Convolution& op, const DotTask& task) {
  const DotDims dims = WithGroupsAsBatch(op, job.dims);
  const DotDim& groups = dims.batch.back();
  const int64_t count = op.feature_groups > 1 ? op.feature_groups : op.batch_groups;
  const bool equal = task.lhs.base.dim(groups.lhs) == task.rhs.base.dim(groups.rhs);
  const bool divides = task.lhs.tiling.IsTiled() && count % task.lhs.tiling.dim(groups.lhs) == 0;
  if (!equal && !divides) return std::nullopt;
  const int64_t lhs = CutsOf(task.lhs.tiling, dims.batch, Side::kLhs);
  const int64_t rhs = CutsOf(task.rhs.tiling, dims.batch, Side::kRhs);
  const int64_t out = CutsOf(task.out, dims.batch, Side::kOut);
  if (out > 1 && (out == lhs || out == rhs)) {
    if (const DotTry node = DotGroupOnBatchOf(job, task, dims)) return node;
  }
  if (task.strict) return std::nullopt;
  return KeepGroupsOnly(job, task, dims, count);
}

}  // namespace tessera::sharding::partition
