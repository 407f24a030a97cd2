// Idea. Both forms are demands (missing.h): the gather form of the block signature, and the partial
// form of the split one. The reduction axes of the latter are sharded as the reduced dimensions of
// the operands are. These must agree, and the result must not use the same mesh axes already.
//
//   [m,k] by k on x times [k,n] by k on x: the index (m, n, k) has x on k, nothing is missing, and
//   every device sends its tile of m n in an all-reduce over x
//
// Tested by the cases of partial_dot and by cost_test.cc.
#include "tessera/projection/cost/demand/reduction_strategies.h"

#include <algorithm>

#include "tessera/layout/element_bytes.h"
#include "tessera/layout/validate.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using sharding::AxisList;
using sharding::AxisRef;
using sharding::DeviceGrid;
using sharding::TensorSharding;

std::vector<int64_t> ElementBitsOf(const hlo::Module& module, hlo::InstructionId id) {
  std::vector<int64_t> bits;
  for (hlo::InstructionId operand : module.operands(id)) {
    for (const layout::Shape* leaf : ArrayLeaves(module.shape(operand))) {
      bits.push_back(layout::StoredBits(*leaf));
    }
  }
  return bits;
}

bool CanBePartial(hlo::Opcode opcode) {
  return opcode == hlo::Opcode::kDot || opcode == hlo::Opcode::kReduce ||
         opcode == hlo::Opcode::kConvolution;
}

// The axes on which every operand that index axis `c` moves holds its dimension; empty when they
// differ.
AxisList CommonAxes(const Signature& split, int c,
                    absl::Span<const TensorSharding* const> operands) {
  AxisList common;
  bool first = true;
  for (size_t k = 0; k < split.operands.size(); ++k) {
    if (split.operands[k].maps.empty()) continue;
    const ZProjection* p = split.operands[k].maps[0]->projection();
    for (int r = 0; p != nullptr && r < p->tensor_rank(); ++r) {
      if (p->matrix()(r, c) == 0) continue;
      const bool alone = p->matrix().SingleColumn(r) == c && operands[k] != nullptr;
      const AxisList axes = alone ? operands[k]->dim(r).axes : AxisList();
      if (!first && axes != common) return AxisList();
      common = axes;
      first = false;
    }
  }
  return common;
}

// The result's sharding with the reduced dimensions appended.
TensorSharding WithReductions(const Signature& split, int result_rank,
                              absl::Span<const TensorSharding* const> operands,
                              const TensorSharding* result) {
  TensorSharding index(result != nullptr ? result->mesh_id() : 0, split.index.rank());
  for (int d = 0; result != nullptr && d < result_rank; ++d)
    index.dim(d).axes = result->dim(d).axes;
  for (int c = result_rank; c < split.index.rank(); ++c) {
    if (split.axes[static_cast<size_t>(c)].kind != AxisKind::kReduction) continue;
    const AxisList axes = CommonAxes(split, c, operands);
    const bool taken = std::any_of(axes.begin(), axes.end(), [&](AxisRef a) {
      return std::any_of(
          index.dims().begin(), index.dims().end(),
          [&](const sharding::DimensionSharding& d) { return sharding::OverlapsAny(a, d.axes); });
    });
    if (!taken) index.dim(c).axes = axes;
  }
  return index;
}

absl::StatusOr<std::optional<PartialForm>> Partial(const hlo::Module& module, hlo::InstructionId id,
                                                   int leaf, const DeviceGrid& grid,
                                                   absl::Span<const TensorSharding* const> operands,
                                                   const TensorSharding* result) {
  TESSERA_ASSIGN_OR_RETURN(Signature split,
                           SignatureOf(module, id, {leaf, true, IndexPolicy::kConstant}));
  const layout::Shape& shape = *ArrayLeaves(module.shape(id))[static_cast<size_t>(leaf)];
  const int result_rank = static_cast<int>(shape.rank());
  const TensorSharding index = WithReductions(split, result_rank, operands, result);
  PartialForm form;
  for (int c = result_rank; c < index.rank(); ++c) {
    form.axes.insert(form.axes.end(), index.dim(c).axes.begin(), index.dim(c).axes.end());
  }
  if (form.axes.empty()) return std::optional<PartialForm>();
  form.group = sharding::ShardedSize(form.axes, grid.mesh());
  TESSERA_ASSIGN_OR_RETURN(form.demand,
                           DemandOf(split, ElementBitsOf(module, id), grid, operands, &index));
  Checked cells = 1;
  for (int d = 0; d < result_rank; ++d)
    cells *= CeilDiv(shape.dim(d), sharding::ShardedSize(index.dim(d).axes, grid.mesh()));
  if (!(cells * layout::StoredBits(shape)).ok()) {
    return OverflowError("the bits of a partial result");
  }
  form.tile_bytes = layout::ElementBytes(shape, cells.value());
  TESSERA_ASSIGN_OR_RETURN(CollectiveTraffic bill,
                           PriceCollective(CollectiveKind::kAllReduce, form.tile_bytes,
                                           layout::ElementBytes(shape, 1), form.group));
  const Checked combine = Checked(bill.sent) * grid.num_devices();
  if (!combine.ok()) return OverflowError("the bytes of an all-reduce");
  form.combine_bytes = combine.value();
  return std::optional<PartialForm>(std::move(form));
}

}  // namespace

absl::StatusOr<ReductionStrategies> FormsOf(const hlo::Module& module, hlo::InstructionId id,
                                            int leaf, const DeviceGrid& grid,
                                            absl::Span<const TensorSharding* const> operands,
                                            const TensorSharding* result) {
  ReductionStrategies forms;
  TESSERA_ASSIGN_OR_RETURN(Signature s,
                           SignatureOf(module, id, {leaf, false, IndexPolicy::kConstant}));
  TESSERA_ASSIGN_OR_RETURN(forms.gather,
                           DemandOf(s, ElementBitsOf(module, id), grid, operands, result));
  const auto is_alone = [&](const TensorSharding* s) {
    return s != nullptr && grid.OnlyDevice(*s).has_value();
  };
  const bool any_alone =
      is_alone(result) || std::any_of(operands.begin(), operands.end(), is_alone);
  if (CanBePartial(module.instruction(id).opcode) && !any_alone) {
    TESSERA_ASSIGN_OR_RETURN(forms.partial, Partial(module, id, leaf, grid, operands, result));
  }
  return forms;
}

}  // namespace tessera::projection
