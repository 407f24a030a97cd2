// A convolution as a dot: which spatial dimensions act as batch, contracting or non-contracting
// ones, and which remain windows. XLA: dot_as_convolution_util::DotConvolutionDimsInfo.

#ifndef TESSERA_SHARDING_PARTITION_OPS_DOT_CONVOLUTION_H_
#define TESSERA_SHARDING_PARTITION_OPS_DOT_CONVOLUTION_H_

#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/ops/dot/dot.h"

namespace tessera::sharding::partition {

struct Convolution {
  hlo::ConvolutionDimensions numbers;
  hlo::Window window;
  int64_t batch_groups = 1, feature_groups = 1;
  int64_t group_batch = 1;  // batches of each group, before sharding
  DotDims dims;

  // The dimension of one array for each dimension of another one.
  Dims RhsOfLhs() const;  // output feature <-> batch, input feature <-> feature
  Dims OutOfLhs() const;  // batch <-> batch, feature <-> feature
};

Convolution ConvolutionOf(const hlo::Module& module, hlo::InstructionId id);
// The indices of a dot or of a convolution.
DotDims DimsOfProduct(const hlo::Module& module, hlo::InstructionId id);
// The convolution of two shards. A spatial dimension that acts as a contracting, free or batch
// dimension has the shard size as its window size, and steps accordingly.
struct LocalConvolution {
  Shape shape;
  hlo::Window window;
};
LocalConvolution LocalConvolutionOf(const Convolution& op, const Shape& lhs, const Shape& rhs,
                                    const hlo::Window& window, layout::ElementType type);

// What is tried before the ways of a dot: see DotJob::first.
DotTry ConvolveInWindows(DotJob& job, const Convolution& op, const DotTask& task, bool& decided);
// The dimension of groups as a batch dimension.
DotTry ConvolveInGroups(DotJob& job, const Convolution& op, const DotTask& task);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_OPS_DOT_CONVOLUTION_H_
