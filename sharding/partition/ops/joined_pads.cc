// A concatenate along a cut dimension, as the operands padded to its shape:
//
//   concatenate(x, y)    maximum(pad(x, -inf, 0_y), pad(y, -inf, x_0)); of integers and pred add, padded with 0
//
// It is one if no other dimension can take the cuts, or an operand has at most one element for each of them.
// Rotations stay (rewrites.cc). The rule is that of libtpu's tpu-spmd-concat-rewriter, which runs in front of the
// partitioner: 120 concatenates, compiled for v5e.
//
// Tested by joined_pads_test.cc.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/layout/element_type.h"
#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/partition/tiling/algebra.h"

namespace tessera::sharding::partition {

bool NeedsPads(const Visit& v, int64_t dim) {
  if (!v.tiling().IsTiled() || v.tiling().dim(dim) == 1) return false;
  if (!TargetForCuts(*v.base, v.tiling(), dim).has_value()) return true;
  for (const PartitionedLeaves& operand : v.operands) {
    if (operand.base->dim(dim) <= v.tiling().dim(dim)) return true;
  }
  return false;
}

NodeId JoinPads(Visit& v, int64_t dim) {
  const bool is_float = layout::IsFloat(v.base->element_type());
  const Opcode join = is_float ? Opcode::kMaximum : Opcode::kAdd;
  const NodeId fill = is_float
                          ? v.graph().Scalar(v.base->element_type(), recipe::Fill::Number::kLowest)
                          : v.graph().Zero(*v.base);
  std::vector<hlo::PaddingDimension> padding(static_cast<size_t>(v.base->rank()));
  NodeId joined = -1;
  int64_t begin = 0;
  for (size_t i = 0; i < v.operands.size(); ++i) {
    const int64_t end = begin + v.operands[i].base->dim(dim);
    At(padding, dim).low = begin;
    At(padding, dim).high = v.base->dim(dim) - end;
    const NodeId part = PadOrReplicate(v, v.operand(i), padding, fill);
    joined = i == 0 ? part
                    : v.graph().Elementwise(join, v.shard_shape(), {joined, part}, Recipes::kPlain);
    begin = end;
  }
  return joined;
}

}  // namespace tessera::sharding::partition
