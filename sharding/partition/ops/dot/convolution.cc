// Convolutions. A window that covers a dimension in one step contracts it; a window that visits the
// elements one by one makes it a batch dimension; and so on. Such dimensions are treated as in a
// dot. Sliding windows are partitioned with halos (convolution_windows.cc).
//
//   // backward of a dense layer written as a convolution: window size=1, all dims as in a dot
//
// XLA: SpmdPartitioningVisitor::HandleConvolution,
// dot_as_convolution_util::ParseConvolutionDimsInfo.

#include "tessera/sharding/partition/ops/dot/convolution.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/partition/reshard/windows/window.h"

namespace tessera::sharding::partition {
namespace {

enum class WindowKind : uint8_t { kBatch, kContracting, kLhsOwn, kRhsOwn, kSpatial };

bool IsUndilated(const hlo::WindowDimension& w) {
  return w.stride == 1 && w.base_dilation == 1 && w.window_dilation == 1;
}

bool IsUnpadded(const hlo::WindowDimension& w) {
  return w.padding_low == 0 && w.padding_high == 0 && !w.reversal;
}

bool IsPaddedBy(const hlo::WindowDimension& w, int64_t padding) {
  return w.padding_low == padding && w.padding_high == padding && w.reversal;
}

bool IsBatch(const hlo::WindowDimension& w, int64_t lhs) {
  if (w.size != lhs) return false;
  const int64_t step = std::max<int64_t>(1, lhs - 1);
  if (w.base_dilation == lhs && IsUnpadded(w)) {
    return (w.stride == step && w.window_dilation == 1) ||
           (w.window_dilation == step && w.stride == 1);
  }
  return IsPaddedBy(w, lhs - 1) && w.window_dilation == 1 && w.stride == lhs &&
         w.base_dilation == lhs - 1;
}

WindowKind KindOf(const hlo::WindowDimension& w, int64_t lhs, int64_t rhs) {
  if (IsBatch(w, lhs)) return WindowKind::kBatch;
  if (w.size == lhs && IsUnpadded(w) && w.base_dilation == 1 && w.window_dilation == 1) {
    return WindowKind::kContracting;
  }
  if (IsUndilated(w)) {
    if (rhs == 1 && w.size == 1 && IsUnpadded(w)) return WindowKind::kLhsOwn;
    if (lhs == 1 && w.size == rhs && IsPaddedBy(w, rhs - 1)) return WindowKind::kRhsOwn;
  }
  return WindowKind::kSpatial;
}

DotDimList& ListOf(DotDims& dims, WindowKind kind) {
  switch (kind) {
    case WindowKind::kBatch:
      return dims.batch;
    case WindowKind::kContracting:
      return dims.contracting;
    case WindowKind::kLhsOwn:
      return dims.lhs_non_contracting;
    case WindowKind::kRhsOwn:
      return dims.rhs_non_contracting;
    case WindowKind::kSpatial:
      break;
  }
  return dims.spatial;
}

DotDims Classify(const Convolution& op, const Shape& lhs, const Shape& rhs) {
  const hlo::ConvolutionDimensions& n = op.numbers;
  DotDims dims;
  dims.lhs_rank = dims.rhs_rank = dims.out_rank = lhs.rank();
  dims.lhs_non_contracting.push_back({n.input_batch, -1, n.output_batch, -1});
  dims.rhs_non_contracting.push_back({-1, n.kernel_output_feature, n.output_feature, -1});
  dims.contracting.push_back({n.input_feature, n.kernel_input_feature, -1, -1});
  for (int64_t i = 0; i < Size(op.window); ++i) {
    const DotDim dim = {At(n.input_spatial, i), At(n.kernel_spatial, i), At(n.output_spatial, i),
                        i};
    const WindowKind kind = KindOf(At(op.window, i), lhs.dim(dim.lhs), rhs.dim(dim.rhs));
    ListOf(dims, kind).push_back(dim);
  }
  return dims;
}

// A window of a dimension that is a batch has the size of the shard, and steps accordingly.
void FitBatchWindows(const Convolution& op, const Shape& lhs, hlo::Window* window) {
  for (const DotDim& dim : op.dims.batch) {
    if (dim.spatial < 0) continue;
    hlo::WindowDimension& w = At(*window, dim.spatial);
    const int64_t size = lhs.dim(dim.lhs), step = std::max<int64_t>(1, size - 1);
    w.size = size;
    if (w.reversal) {
      w.padding_low = w.padding_high = size - 1;
      w.stride = size;
      w.base_dilation = step;
      continue;
    }
    w.base_dilation = size;
    (w.window_dilation == 1 ? w.stride : w.window_dilation) = step;
  }
}

// A device must hold complete groups.
void CheckGroups(const Convolution& op, const Shape& lhs, const Shape& rhs, Graph* graph) {
  const int64_t batches = lhs.dim(op.numbers.input_batch);
  if (op.batch_groups > 1 && op.group_batch > 0 && batches % op.group_batch != 0) {
    graph->FailAsItCrashes(absl::StrCat(
        "convolution: a device has ", batches, " batches, groups have ", op.group_batch,
        "; cut the batches of the operand into no more parts than there are groups"));
  }
  const int64_t depth = rhs.dim(op.numbers.kernel_input_feature);
  const int64_t features = rhs.dim(op.numbers.kernel_output_feature);
  if (op.feature_groups == 1 || depth == 0 || lhs.dim(op.numbers.input_feature) < depth) return;
  const int64_t groups = lhs.dim(op.numbers.input_feature) / depth;
  if (features % groups == 0) return;
  graph->Fail(
      absl::StrCat("XLA's partitioner refuses what it makes of this convolution: a device has ",
                   features, " features of the kernel for ", groups,
                   " groups; cut the features of the kernel into no more parts than there are "
                   "groups"));
}

}  // namespace

Dims Convolution::RhsOfLhs() const {
  Dims out(static_cast<size_t>(dims.lhs_rank));
  At(out, numbers.input_batch) = numbers.kernel_output_feature;
  At(out, numbers.input_feature) = numbers.kernel_input_feature;
  for (int64_t i = 0; i < Size(window); ++i) {
    At(out, At(numbers.input_spatial, i)) = At(numbers.kernel_spatial, i);
  }
  return out;
}

Dims Convolution::OutOfLhs() const {
  Dims out(static_cast<size_t>(dims.lhs_rank));
  At(out, numbers.input_batch) = numbers.output_batch;
  At(out, numbers.input_feature) = numbers.output_feature;
  for (int64_t i = 0; i < Size(window); ++i) {
    At(out, At(numbers.input_spatial, i)) = At(numbers.output_spatial, i);
  }
  return out;
}

Convolution ConvolutionOf(const hlo::Module& module, hlo::InstructionId id) {
  const Shape &lhs = module.shape(module.operands(id)[0]),
              &rhs = module.shape(module.operands(id)[1]);
  const auto count = [&](hlo::AttributeName name) {
    return hlo::GetInt(module, id, name).value_or(1);
  };
  Convolution op;
  op.numbers = hlo::GetConvolutionDimensions(module, id).value_or(hlo::ConvolutionDimensions());
  op.window = hlo::GetWindow(module, id);
  op.window.resize(op.numbers.input_spatial.size());
  op.batch_groups = count(hlo::AttributeName::kBatchGroupCount);
  op.feature_groups = count(hlo::AttributeName::kFeatureGroupCount);
  op.group_batch = lhs.dim(op.numbers.input_batch) / op.batch_groups;
  op.dims = Classify(op, lhs, rhs);
  return op;
}

DotDims DimsOfProduct(const hlo::Module& module, hlo::InstructionId id) {
  return module.instruction(id).opcode == Opcode::kDot ? DimsOfDot(module, id)
                                                       : ConvolutionOf(module, id).dims;
}

LocalConvolution LocalConvolutionOf(const Convolution& op, const Shape& lhs, const Shape& rhs,
                                    const hlo::Window& window, layout::ElementType type) {
  const hlo::ConvolutionDimensions& n = op.numbers;
  LocalConvolution out;
  out.window = op.window;
  for (const DotDim& dim : op.dims.contracting) {
    if (dim.spatial >= 0) At(out.window, dim.spatial).size = lhs.dim(dim.lhs);
  }
  for (const DotDim& dim : op.dims.rhs_non_contracting) {
    if (dim.spatial < 0) continue;
    hlo::WindowDimension& w = At(out.window, dim.spatial);
    w.size = rhs.dim(dim.rhs);
    w.padding_low = w.padding_high = w.size - 1;
  }
  for (const DotDim& dim : op.dims.spatial) {
    hlo::WindowDimension& w = At(out.window, dim.spatial);
    w.size = At(window, dim.spatial).size;
    w.padding_low = At(window, dim.spatial).padding_low;
    w.padding_high = At(window, dim.spatial).padding_high;
  }
  Dims dims(static_cast<size_t>(lhs.rank()));
  At(dims, n.output_batch) = std::min(lhs.dim(n.input_batch), op.group_batch);
  At(dims, n.output_feature) = rhs.dim(n.kernel_output_feature);
  for (int64_t i = 0; i < Size(out.window); ++i) {
    At(dims, At(n.output_spatial, i)) =
        std::max<int64_t>(0, WindowCount(At(out.window, i), lhs.dim(At(n.input_spatial, i))));
  }
  for (const DotDim& dim : op.dims.batch) At(dims, dim.out) = lhs.dim(dim.lhs);
  FitBatchWindows(op, lhs, &out.window);
  out.shape = Shape::Array(type, dims, std::nullopt);
  return out;
}

namespace {

// The windows and groups of the shards.
RecipeId RecipeOf(const Convolution& op, const LocalConvolution& local, const Shape& lhs,
                  const Shape& rhs, Graph& graph) {
  return graph.Keep([&] {
    recipe::AsWritten out;
    if (!local.window.empty()) {
      out.instead.emplace_back(hlo::AttributeName::kWindow, hlo::PrintWindow(local.window));
    }
    const hlo::ConvolutionDimensions& n = op.numbers;
    const int64_t depth = std::max<int64_t>(1, rhs.dim(n.kernel_input_feature));
    if (op.feature_groups > 1) {
      out.instead.emplace_back(hlo::AttributeName::kFeatureGroupCount,
                               absl::StrCat(lhs.dim(n.input_feature) / depth));
    }
    if (op.batch_groups > 1) {
      out.instead.emplace_back(
          hlo::AttributeName::kBatchGroupCount,
          absl::StrCat(std::max<int64_t>(1, lhs.dim(n.input_batch) / op.group_batch)));
    }
    return out;
  });
}

}  // namespace

absl::StatusOr<NodeId> PartitionConvolution(Visit& v) {
  if (v.OnOneDevice()) return Default(v);
  const Convolution op = ConvolutionOf(v.module(), v.id);
  DotJob job;
  job.dims = op.dims;
  job.window = op.window;
  job.visit = &v;
  job.shape = [&](const Shape& lhs, const Shape& rhs) {
    return LocalConvolutionOf(op, lhs, rhs, job.window, v.base->element_type()).shape;
  };
  job.local = [&](const PartitionedHlo& lhs, const PartitionedHlo& rhs, const hlo::Window& window) {
    const Shape &left = v.graph().shape(lhs.node), &right = v.graph().shape(rhs.node);
    CheckGroups(op, left, right, &v.graph());
    const LocalConvolution local =
        LocalConvolutionOf(op, left, right, window, v.base->element_type());
    return Clone(v, local.shape, {lhs.node, rhs.node}, RecipeOf(op, local, left, right, v.graph()));
  };
  job.first = [&](const DotTask& task, bool& decided) {
    return ConvolveInWindows(job, op, task, decided);
  };
  return SolveDotOf(v, job);
}

}  // namespace tessera::sharding::partition
