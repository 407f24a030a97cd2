// Convolution in all its forms: for each cell of the result, the taps of the window in row-major
// order, and for each tap the input features of the group.
#include <algorithm>

#include "tessera/testing/evaluator/dot.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/window_place.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

struct Convolver {
  const Array &input, &kernel;
  hlo::ConvolutionDimensions d;
  hlo::Window window;
  int64_t feature_groups, batch_groups, features, outputs, batches;
  ElementType held;

  Cell At(const ZPoint& o) const;
  // Input and kernel cell of a tap; false where it falls outside the input.
  bool Place(const ZPoint& o, const ZPoint& tap, ZPoint* in, ZPoint* weight) const;
};

int Dim(int64_t d) { return static_cast<int>(d); }

bool Convolver::Place(const ZPoint& o, const ZPoint& tap, ZPoint* in, ZPoint* weight) const {
  for (size_t s = 0; s < window.size(); ++s) {
    const int dim = Dim(d.input_spatial[s]);
    const auto place = PlaceOfTap(window[s], input.dims[dim], o[Dim(d.output_spatial[s])],
                                  tap[static_cast<int>(s)]);
    if (!place.has_value()) return false;
    (*in)[dim] = *place;
    (*weight)[Dim(d.kernel_spatial[s])] = window[s].reversal
                                              ? window[s].size - 1 - tap[static_cast<int>(s)]
                                              : tap[static_cast<int>(s)];
  }
  return true;
}

Cell Convolver::At(const ZPoint& o) const {
  const int64_t output = o[Dim(d.output_feature)];
  ZPoint in = ZPoint::Filled(input.rank(), 0), weight = ZPoint::Filled(kernel.rank(), 0);
  weight[Dim(d.kernel_output_feature)] = output;
  in[Dim(d.input_batch)] =
      o[Dim(d.output_batch)] + output / (outputs / batch_groups) * (batch_groups > 1 ? batches : 0);
  const int64_t first = output / (outputs / feature_groups) * features;
  const Array taps = MakeArray(ElementType::kPred, SizesOf(window));
  Cell sum;
  for (int64_t t = 0; t < taps.size(); ++t) {
    if (!Place(o, IndexOf(t, taps.dims), &in, &weight)) continue;
    for (int64_t f = 0; f < features; ++f) {
      in[Dim(d.input_feature)] = first + f;
      weight[Dim(d.kernel_input_feature)] = f;
      sum = MultiplyAdd(held, Widened(input.type, held, input.At(in)),
                        Widened(kernel.type, held, kernel.At(weight)), sum);
    }
  }
  return sum;
}

}  // namespace

absl::StatusOr<Value> Convolution(const Op& op) {
  const std::optional<hlo::ConvolutionDimensions> d =
      hlo::GetConvolutionDimensions(op.module, op.id);
  if (!d.has_value()) return absl::InvalidArgumentError("convolution without dim_labels");
  Array out = op.Out();
  Convolver c{op.in(0),
              op.in(1),
              *d,
              hlo::GetWindow(op.module, op.id),
              hlo::GetInt(op.module, op.id, AttributeName::kFeatureGroupCount).value_or(1),
              hlo::GetInt(op.module, op.id, AttributeName::kBatchGroupCount).value_or(1),
              op.in(1).dims[Dim(d->kernel_input_feature)],
              out.dims[Dim(d->output_feature)],
              out.dims[Dim(d->output_batch)],
              AccumulatorType(out.type)};
  c.window.resize(d->input_spatial.size());
  int64_t taps = c.features;
  for (const hlo::WindowDimension& w : c.window) taps *= w.size;
  TESSERA_RETURN_IF_ERROR(op.interpreter.Spend(out.size() * taps));
  for (int64_t i = 0; i < out.size(); ++i) out.cells[i] = Fit(out.type, c.At(IndexOf(i, out.dims)));
  return out;
}

}  // namespace tessera::testing::evaluator
