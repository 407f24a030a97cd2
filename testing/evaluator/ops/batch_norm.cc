// Batch normalization, its statistics and its gradient, feature by feature, in double.
#include <cmath>
#include <vector>

#include "tessera/testing/evaluator/kernel.h"

namespace tessera::testing::evaluator {
namespace {

struct Norm {
  explicit Norm(const Op& op)
      : feature_dim(static_cast<int>(
            hlo::GetInt(op.module, op.id, AttributeName::kFeatureIndex).value_or(0))),
        epsilon(hlo::GetFloat(op.module, op.id, AttributeName::kEpsilon).value_or(0)),
        x(op.in(0)),
        asked(op.part == nullptr   ? EvenPart{0, x.dims[feature_dim]}
              : op.part->leaf == 0 ? op.AskedAlong(x.dims, feature_dim)
                                   : op.AskedAlong({x.dims[feature_dim]}, 0)) {}

  int64_t FeatureOf(int64_t i) const { return IndexOf(i, x.dims)[feature_dim]; }
  int64_t features() const { return x.dims[feature_dim]; }
  double count() const { return static_cast<double>(x.size()) / static_cast<double>(features()); }
  // For each feature the sum of f(cell, feature).
  template <typename F>
  std::vector<double> Sums(F f) const {
    std::vector<double> sums(static_cast<size_t>(features()));
    ForEach([&](int64_t i, int64_t feature) { sums[feature] += f(i, feature); });
    return sums;
  }
  // f(cell, feature) for each cell of these features.
  template <typename F>
  void ForEach(F f) const {
    for (int64_t i = 0; i < x.size(); ++i) {
      const int64_t feature = FeatureOf(i);
      if (feature >= asked.start && feature < asked.end) f(i, feature);
    }
  }

  int feature_dim;
  double epsilon;
  const Array& x;
  EvenPart asked;  // of the features
};

void Fill(const std::vector<double>& from, Array* to) {
  for (int64_t i = 0; i < to->size(); ++i) to->cells[i] = Fit(to->type, {0, from[i], 0});
}

}  // namespace

// Operands: x, scale, offset, mean, variance.
absl::StatusOr<Value> BatchNormInference(const Op& op) {
  const Norm norm(op);
  Array out = op.Out();
  op.ForEachPosition(out.dims, [&](int64_t i) {
    const int64_t f = norm.FeatureOf(i);
    const double scaled = (norm.x.cells[i].re - op.in(3).cells[f].re) /
                          std::sqrt(op.in(4).cells[f].re + norm.epsilon) * op.in(1).cells[f].re;
    out.cells[i] = Fit(out.type, {0, scaled + op.in(2).cells[f].re, 0});
  });
  return out;
}

// Operands: x, scale, offset. Results: y, mean, variance.
absl::StatusOr<Value> BatchNormTraining(const Op& op) {
  const Norm norm(op);
  Value out = MakeValue(op.shape());
  const std::vector<Array*> leaves = Leaves(&out);
  std::vector<double> mean = norm.Sums([&](int64_t i, int64_t) { return norm.x.cells[i].re; });
  for (double& m : mean) m /= norm.count();
  std::vector<double> variance = norm.Sums([&](int64_t i, int64_t f) {
    const double d = norm.x.cells[i].re - mean[f];
    return d * d;
  });
  for (double& v : variance) v /= norm.count();
  norm.ForEach([&](int64_t i, int64_t f) {
    const double scaled = (norm.x.cells[i].re - mean[f]) / std::sqrt(variance[f] + norm.epsilon) *
                          op.in(1).cells[f].re;
    leaves[0]->cells[i] = Fit(leaves[0]->type, {0, scaled + op.in(2).cells[f].re, 0});
  });
  Fill(mean, leaves[1]);
  Fill(variance, leaves[2]);
  return out;
}

// Operands: x, scale, mean, variance, gradient of y. Results: gradients of x, scale, offset.
absl::StatusOr<Value> BatchNormGrad(const Op& op) {
  const Norm norm(op);
  Value out = MakeValue(op.shape());
  const std::vector<Array*> leaves = Leaves(&out);
  const Array& grad = op.in(4);
  auto centred = [&](int64_t i, int64_t f) { return norm.x.cells[i].re - op.in(2).cells[f].re; };
  const std::vector<double> offset =
      norm.Sums([&](int64_t i, int64_t) { return grad.cells[i].re; });
  const std::vector<double> moment =
      norm.Sums([&](int64_t i, int64_t f) { return grad.cells[i].re * centred(i, f); });
  std::vector<double> scale(moment.size());
  for (int64_t f = norm.asked.start; f < norm.asked.end; ++f)
    scale[f] = moment[f] / std::sqrt(op.in(3).cells[f].re + norm.epsilon);
  norm.ForEach([&](int64_t i, int64_t f) {
    const double v = op.in(3).cells[f].re + norm.epsilon;
    const double g = grad.cells[i].re - offset[f] / norm.count() -
                     centred(i, f) * moment[f] / (v * norm.count());
    leaves[0]->cells[i] = Fit(leaves[0]->type, {0, g * op.in(1).cells[f].re / std::sqrt(v), 0});
  });
  Fill(scale, leaves[1]);
  Fill(offset, leaves[2]);
  return out;
}

}  // namespace tessera::testing::evaluator
