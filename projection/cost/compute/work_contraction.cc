// Multiply-adds: two operations each, eight on complex numbers. A convolution counts the taps that
// hit a cell of the input, dimension by dimension, for dimensions are independent: 2 * IC * OC *
// batch * prod_i valid_i.
#include <algorithm>

#include "tessera/hlo/attributes.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/cost/compute/work_rules.h"
#include "tessera/projection/map/reads.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

int64_t FlopsPerMultiplyAdd(const Work& w) {
  return w.mode == CostMode::kExact && layout::IsComplex(w.module.shape(w.id).element_type()) ? 8
                                                                                              : 2;
}

Checked ContractedCells(const Work& w) {
  Checked k = 1;
  for (int64_t d : hlo::GetDotDimensions(w.module, w.id).lhs_contracting) k *= w.operand(0).dim(d);
  return k;
}

}  // namespace

absl::StatusOr<Tally> DotWork(const Work& w) {
  return Tally{Checked(FlopsPerMultiplyAdd(w)) * w.out_cells * ContractedCells(w), 0};
}

absl::StatusOr<Tally> RaggedDotWork(const Work& w) {
  Checked cells = w.out_cells;
  if (w.mode == CostMode::kXla) {
    // XLA takes the numbers of rhs group dimensions for numbers of result dimensions and leaves
    // those out.
    cells = 1;
    const hlo::IntList groups = hlo::GetDotDimensions(w.module, w.id).rhs_group;
    for (int64_t d = 0; d < w.module.shape(w.id).rank(); ++d) {
      const bool dropped = std::find(groups.begin(), groups.end(), d) != groups.end();
      if (!dropped) cells *= w.module.shape(w.id).dim(d);
    }
  }
  return Tally{Checked(FlopsPerMultiplyAdd(w)) * cells * ContractedCells(w), 0};
}

absl::StatusOr<Tally> ConvolutionWork(const Work& w) {
  const auto dims = hlo::GetConvolutionDimensions(w.module, w.id);
  if (!dims.has_value()) return Tally();
  hlo::Window window = hlo::GetWindow(w.module, w.id);
  window.resize(dims->output_spatial.size());
  Checked flops = Checked(FlopsPerMultiplyAdd(w)) * w.operand(1).dim(dims->kernel_input_feature);
  flops *= w.block.extent(static_cast<int>(dims->output_feature));
  flops *= w.block.extent(static_cast<int>(dims->output_batch));
  for (size_t i = 0; i < window.size(); ++i) {
    const int axis = static_cast<int>(dims->output_spatial[i]);
    TESSERA_ASSIGN_OR_RETURN(
        int64_t valid,
        CountTaps(window[i].stride, -window[i].padding_low, window[i].window_dilation,
                  window[i].size, window[i].base_dilation, w.operand(0).dim(dims->input_spatial[i]),
                  w.block.start()[axis], w.block.end()[axis]));
    flops *= valid;
  }
  return Tally{flops, 0};
}

}  // namespace tessera::projection
