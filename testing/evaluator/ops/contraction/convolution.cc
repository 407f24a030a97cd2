// Convolution in all its forms: for each cell of the result, the taps of the window in row-major
// order, and for each tap the input features of the group.
#include <algorithm>

#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/ops/contraction/dot.h"
#include "tessera/testing/evaluator/ops/window_place.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

struct Convolver {
  const Array &input, &kernel;
  hlo::ConvolutionDimensions d;
  hlo::Window window;
  int64_t feature_groups, batch_groups, features, outputs, batches;
  ElementType held;
  std::vector<ZPoint> taps;  // of the window, row-major
  Summands summands;         // the input features of a tap

  Cell At(const ZPoint& o) const;
  // Input and kernel cell of a tap; false where it falls outside the input.
  bool Place(const ZPoint& o, const ZPoint& tap, ZPoint* in, ZPoint* weight) const;
};

int Dim(int64_t d) { return static_cast<int>(d); }

// Distance of neighbours along a dimension.
int64_t StrideOf(const Array& a, int dim) {
  int64_t stride = 1;
  for (int d = a.rank() - 1; d > dim; --d) stride *= a.dims[d];
  return stride;
}

bool Convolver::Place(const ZPoint& o, const ZPoint& tap, ZPoint* in, ZPoint* weight) const {
  for (size_t s = 0; s < window.size(); ++s) {
    const int dim = Dim(d.input_spatial[s]);
    const int64_t at = tap[static_cast<int>(s)];
    const auto place = PlaceOfTap(window[s], input.dims[dim], o[Dim(d.output_spatial[s])], at);
    if (!place.has_value()) return false;
    (*in)[dim] = *place;
    (*weight)[Dim(d.kernel_spatial[s])] = window[s].reversal ? window[s].size - 1 - at : at;
  }
  return true;
}

Cell Convolver::At(const ZPoint& o) const {
  const int64_t output = o[Dim(d.output_feature)];
  ZPoint in = ZPoint::Filled(input.rank(), 0), weight = ZPoint::Filled(kernel.rank(), 0);
  weight[Dim(d.kernel_output_feature)] = output;
  in[Dim(d.input_batch)] =
      o[Dim(d.output_batch)] + output / (outputs / batch_groups) * (batch_groups > 1 ? batches : 0);
  in[Dim(d.input_feature)] = output / (outputs / feature_groups) * features;
  Cell sum;
  for (const ZPoint& tap : taps) {
    if (Place(o, tap, &in, &weight))
      sum = SumOfProducts(held, input, kernel, input.Linear(in), kernel.Linear(weight), summands,
                          sum);
  }
  return sum;
}

Convolver ConvolverOf(const Op& op, const hlo::ConvolutionDimensions& d, const Array& out) {
  const auto groups = [&](AttributeName name) {
    return hlo::GetInt(op.module, op.id, name).value_or(1);
  };
  Convolver c{op.in(0),
              op.in(1),
              d,
              hlo::GetWindow(op.module, op.id),
              groups(AttributeName::kFeatureGroupCount),
              groups(AttributeName::kBatchGroupCount),
              op.in(1).dims[Dim(d.kernel_input_feature)],
              out.dims[Dim(d.output_feature)],
              out.dims[Dim(d.output_batch)],
              AccumulatorType(out.type),
              {},
              {}};
  c.window.resize(d.input_spatial.size());
  c.taps = TapsOf(c.window);
  for (int64_t f = 0; f < c.features; ++f) {
    c.summands.lhs.push_back(f * StrideOf(c.input, Dim(d.input_feature)));
    c.summands.rhs.push_back(f * StrideOf(c.kernel, Dim(d.kernel_input_feature)));
  }
  return c;
}

}  // namespace

absl::StatusOr<Value> Convolution(const Op& op) {
  const std::optional<hlo::ConvolutionDimensions> d =
      hlo::GetConvolutionDimensions(op.module, op.id);
  if (!d.has_value()) return absl::InvalidArgumentError("convolution without dim_labels");
  Array out = op.Out();
  const Convolver c = ConvolverOf(op, *d, out);
  TESSERA_RETURN_IF_ERROR(
      op.interpreter.Spend(out.size() * c.features * static_cast<int64_t>(c.taps.size())));
  Cell* cells = out.cells.Data();
  op.ForEachAsked(out.dims, [&](int64_t i, const ZPoint& o) { cells[i] = Fit(out.type, c.At(o)); });
  return out;
}

}  // namespace tessera::testing::evaluator
