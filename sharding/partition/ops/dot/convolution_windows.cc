// Convolutions whose windows cross shard boundaries, and grouped convolutions without grouping.
//
// If both operands are sharded alike, device i holds part i of the kernel. It needs the input that
// this part reads in any window, computes a partial sum of the whole result, and an all-reduce adds
// these. If the result is sharded and the groups are not, each device reads the input of its
// windows and the whole kernel. XLA: convolution_handler,
// PartitionConvolutionWithSpatialDimensionHaloExchangeOnLHS and ..OnRHS,
// PartitionConvolutionTiledOutput, PartitionConvolutionWithFeatureGroupCount,
// ..WithBatchGroupCount.

#include <utility>

#include "tessera/sharding/partition/ops/dot/convolution.h"
#include "tessera/sharding/partition/reshard/tables.h"
#include "tessera/sharding/partition/reshard/windows/halo.h"
#include "tessera/sharding/partition/reshard/windows/window.h"

namespace tessera::sharding::partition {
namespace {

// `tiling` of an array whose dimension i is dimension to[i] of another one, as that one's.
Tiling Renumbered(const Tiling& tiling, Ints to) { return Transpose(tiling, Inverse(to)); }

class ConvolutionInWindows {
 public:
  ConvolutionInWindows(DotJob& job, const Convolution& op, const DotTask& task)
      : job_(job), op_(op), n_(op.numbers), task_(task), lhs_(task.lhs), rhs_(task.rhs) {}

  DotTry Run() {
    if (const DotTry node = GroupEach()) return node;
    if (!lhs_.tiling.IsMaximal() && !rhs_.tiling.IsMaximal()) {
      if (const DotTry node = SumOfKernelParts()) return node;
      lhs_ = task_.lhs;
      rhs_ = task_.rhs;
    }
    return task_.out.IsTiled() && !CutsGroups() ? PartsOfResult() : std::nullopt;
  }

 private:
  // --- Whole groups on every device ----------------------------------------------------------------
  DotTry GroupEach() {
    const Dims rhs_of_lhs = RhsOfGroups();
    if (rhs_of_lhs.empty()) return std::nullopt;
    const int64_t lhs_dim = op_.batch_groups > 1 ? n_.input_batch : n_.input_feature;
    if (lhs_.tiling.dim(lhs_dim) == task_.devices) {
      rhs_ = Reshard(rhs_, Renumbered(lhs_.tiling, rhs_of_lhs));
    } else if (rhs_.tiling.dim(n_.kernel_output_feature) == task_.devices) {
      lhs_ = Reshard(lhs_, Transpose(rhs_.tiling, rhs_of_lhs));
    } else {
      return std::nullopt;
    }
    const Tiling out = Renumbered(lhs_.tiling, OutOfGroups());
    return ToResult(job_.Local(lhs_, rhs_), out);
  }

  // Nothing if the groups cannot be divided among the devices.
  Dims RhsOfGroups() const {
    const int64_t features = rhs_.base.dim(n_.kernel_output_feature);
    Dims out = op_.RhsOfLhs();
    if (op_.batch_groups > 1 && op_.batch_groups % task_.devices == 0 &&
        lhs_.base.dim(n_.input_batch) == features && op_.batch_groups == features) {
      return out;
    }
    if (op_.feature_groups > 1 && op_.feature_groups % task_.devices == 0 &&
        lhs_.base.dim(n_.input_feature) % op_.feature_groups == 0 &&
        features % op_.feature_groups == 0) {
      std::swap(At(out, n_.input_batch), At(out, n_.input_feature));
      return out;
    }
    return {};
  }

  Dims OutOfGroups() const {
    Dims out = op_.OutOfLhs();
    if (op_.batch_groups > 1) std::swap(At(out, n_.input_batch), At(out, n_.input_feature));
    return out;
  }

  // --- A part of the kernel on every device --------------------------------------------------------
  DotTry SumOfKernelParts() {
    Dims reversed;
    for (int64_t i = 0; i < Size(op_.window); ++i) {
      if (At(op_.window, i).reversal) reversed.push_back(At(n_.kernel_spatial, i));
      if (At(op_.window, i).base_dilation != 1) return std::nullopt;
    }
    if (!reversed.empty()) {
      const std::optional<NodeId> padded = PadOnLeft(rhs_, reversed);
      if (!padded.has_value()) return std::nullopt;
      rhs_.node = *padded;
    }
    if (!CutAlike(reversed)) return std::nullopt;
    const Dims padded_right = AllExcept(rhs_.base.rank(), reversed);
    lhs_ = MaskedWithZero(lhs_);
    rhs_ = MaskedWithZeroOn(rhs_, padded_right);
    if (CutsGroups()) return std::nullopt;
    hlo::Window window = op_.window;
    for (int64_t i = 0; i < Size(op_.window); ++i) {
      if (!ExchangeAlong(i, &At(window, i))) return std::nullopt;
    }
    const NodeId node =
        lhs_.scope->AllReduce(job_.Local(lhs_, rhs_, window), SumOf(task_.out_base));
    return ToResult(node, Tiling::Replicated());
  }

  // The smaller operand takes the sharding of the larger one.
  bool CutAlike(const Dims& reversed) {
    const Dims rhs_of_lhs = op_.RhsOfLhs();
    const bool lhs_moves = Bytes(lhs_.base) < Bytes(rhs_.base);
    const Tiling lhs_tiling =
        lhs_moves ? Transpose(Reverse(rhs_.tiling, reversed), rhs_of_lhs) : lhs_.tiling;
    const Tiling rhs_tiling =
        lhs_moves ? rhs_.tiling : Reverse(Renumbered(lhs_.tiling, rhs_of_lhs), reversed);
    if (lhs_tiling.dim(n_.input_batch) != 1 || rhs_tiling.dim(n_.kernel_output_feature) != 1) {
      return false;
    }
    if (lhs_moves) {
      lhs_ = Reshard(lhs_, lhs_tiling);
    } else {
      rhs_ = Reshard(rhs_, rhs_tiling);
    }
    return true;
  }

  bool CutsGroups() const {
    const int64_t out_features = rhs_.tiling.dim(n_.kernel_output_feature);
    return (op_.feature_groups > 1 &&
            (lhs_.tiling.dim(n_.input_feature) > 1 || out_features > 1)) ||
           (op_.batch_groups > 1 && (lhs_.tiling.dim(n_.input_batch) > 1 || out_features > 1));
  }

  bool ExchangeAlong(int64_t spatial, hlo::WindowDimension* window) {
    const int64_t dim = At(n_.input_spatial, spatial);
    const int64_t cuts = lhs_.tiling.dim(dim);
    if (cuts == 1) return true;
    const hlo::WindowDimension w = *window;
    const int64_t lhs = CeilDiv(lhs_.base.dim(dim), cuts);
    const int64_t rhs = CeilDiv(rhs_.base.dim(At(n_.kernel_spatial, spatial)), cuts);
    const int64_t step = rhs * w.window_dilation;
    const int64_t reach = w.stride * (WindowCount(w, lhs_.base.dim(dim)) - 1);
    Halo halo;
    halo.dim = dim;
    halo.left = PerShard(cuts, [&](int64_t i) { return (lhs - step) * i + w.padding_low; });
    halo.right = PerShard(cuts, [&](int64_t i) {
      return (step - lhs) * (i + 1) + 1 - w.window_dilation + reach - w.padding_low;
    });
    HaloRegion region;
    region.left_padding = w.padding_low;
    region.shard_size = reach + (rhs - 1) * w.window_dilation + 1;
    region.mask = false;
    region.ordinal = OrdinalsAlong(*lhs_.scope, lhs_.tiling, dim);
    region.first_offset = Offset{step};
    const auto node = ExchangeRegion(lhs_, halo, region, lhs_.scope->graph().Zero(lhs_.base));
    if (!node.has_value()) return false;
    lhs_.node = *node;
    window->size = rhs;
    window->padding_low = window->padding_high = 0;
    return true;
  }

  // --- A part of the result on every device --------------------------------------------------------
  DotTry PartsOfResult() {
    if (task_.out.dim(n_.output_feature) > 1) return std::nullopt;
    if (op_.batch_groups > 1 && task_.out.dim(n_.output_batch) > 1) {
      lhs_.scope->graph().FailAsItCrashes(
          "convolution: its batches are in groups, and those of the result are sharded; shard "
          "another "
          "dimension of the result");
      return std::nullopt;
    }
    const Tiling target = Transpose(task_.out, op_.OutOfLhs());
    const PartitionedHlo lhs = Reshard(lhs_, target);
    const PartitionedHlo rhs = Replicate(rhs_);
    hlo::Window window(static_cast<size_t>(lhs.base.rank()));
    for (int64_t i = 0; i < Size(op_.window); ++i) {
      At(window, At(n_.input_spatial, i)) = At(op_.window, i);
    }
    Graph& graph = lhs.scope->graph();
    const auto moved = ReshardForWindow(lhs, window, target, graph.Zero(lhs.base));
    if (!moved.has_value()) return std::nullopt;
    hlo::Window left;
    for (int64_t dim : n_.input_spatial) left.push_back(At(moved->window, dim));
    PartitionedHlo input = lhs;
    input.node = moved->input;
    const NodeId node = job_.Local(input, rhs, left);
    if (!moved->slice_output) return node;
    return SliceOutput(graph, ShardShape(task_.out_base, task_.out), node, *moved);
  }

  NodeId ToResult(NodeId node, const Tiling& tiling) const {
    return Reshard({node, task_.out_base, tiling, lhs_.scope}, task_.out).node;
  }

  DotJob& job_;
  const Convolution& op_;
  const hlo::ConvolutionDimensions& n_;
  const DotTask& task_;
  PartitionedHlo lhs_, rhs_;
};

bool SlidesOverCuts(const DotTask& task, const DotDims& dims) {
  const auto cut = [&task](const DotDimList& list) {
    return CutsOf(task.lhs.tiling, list, Side::kLhs) > 1 ||
           CutsOf(task.rhs.tiling, list, Side::kRhs) > 1 || CutsOf(task.out, list, Side::kOut) > 1;
  };
  const bool sums = CutsOf(task.lhs.tiling, dims.contracting, Side::kLhs) > 1 &&
                    CutsOf(task.rhs.tiling, dims.contracting, Side::kRhs) > 1;
  return cut(dims.spatial) && !cut(dims.batch) && !sums;
}

}  // namespace

DotTry ConvolveInWindows(DotJob& job, const Convolution& op, const DotTask& task, bool& decided) {
  const bool grouped = op.batch_groups > 1 || op.feature_groups > 1;
  if (!grouped && !SlidesOverCuts(task, job.dims)) return std::nullopt;
  const Shape& kernel = task.rhs.scope->graph().shape(task.rhs.node);
  decided = grouped;
  if (op.feature_groups > 1 && kernel.dim(op.numbers.kernel_input_feature) > 1) {
    return std::nullopt;
  }
  const DotTry node = ConvolutionInWindows(job, op, task).Run();
  decided |= node.has_value();
  if (node.has_value() || !grouped) return node;
  return ConvolveInGroups(job, op, task);
}

}  // namespace tessera::sharding::partition
