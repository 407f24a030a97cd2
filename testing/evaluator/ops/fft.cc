// Fourier transforms by their definition, one dimension after another.
#include <cmath>
#include <complex>

#include "absl/strings/string_view.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/ops/arithmetic.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

struct Transform {
  bool inverse;
  int64_t length;  // of the whole line; the input may hold only its first half
};

// Cell `index` of a line; the half that is not stored mirrors the other one.
Number InputAt(const Array& in, ZPoint at, int dim, int64_t index, int64_t length) {
  const bool mirrored = index >= in.dims[dim];
  at[dim] = mirrored ? length - index : index;
  const Cell& cell = in.At(at);
  return Number(cell.re, mirrored ? -cell.im : cell.im);
}

Array Transformed(const Array& in, int dim, int64_t out_extent, Transform t) {
  ZPoint dims = in.dims;
  dims[dim] = out_extent;
  Array out = MakeArray(in.type, dims);
  const double turn = (t.inverse ? 2 : -2) * M_PI / static_cast<double>(t.length);
  for (int64_t i = 0; i < out.size(); ++i) {
    const ZPoint o = IndexOf(i, dims);
    Number sum = 0;
    for (int64_t k = 0; k < t.length; ++k)
      sum += InputAt(in, o, dim, k, t.length) *
             std::polar(1.0, turn * static_cast<double>(k * o[dim] % t.length));
    if (t.inverse) sum /= static_cast<double>(t.length);
    out.cells[i] = {0, sum.real(), sum.imag()};
  }
  return out;
}

}  // namespace

absl::StatusOr<Value> Fft(const Op& op) {
  const std::vector<absl::string_view> type =
      hlo::GetWords(op.module, op.id, AttributeName::kFftType);
  const absl::string_view name = type.empty() ? "FFT" : type[0];
  const bool inverse = name == "IFFT" || name == "IRFFT", real_result = name == "IRFFT";
  const IntList lengths = op.Ints(AttributeName::kFftLength);
  Array out = op.Out();
  const int first = out.rank() - static_cast<int>(lengths.size());
  int64_t cost = 0;
  for (int64_t length : lengths) cost += length * std::max(out.size(), op.in(0).size());
  TESSERA_RETURN_IF_ERROR(op.interpreter.Spend(cost));
  Cell* cells = out.cells.Data();
  for (int64_t batch : AskedBatches(op, out.dims, static_cast<int>(lengths.size()))) {
    Array line = BatchOf(op.in(0), batch, static_cast<int>(lengths.size()));
    // The dimension that is stored by half goes first on the way there, last on the way back.
    for (size_t step = 0; step < lengths.size(); ++step) {
      const size_t k = real_result ? step : lengths.size() - 1 - step;
      const int dim = static_cast<int>(k);
      line = Transformed(line, dim, out.dims[first + dim], {inverse, lengths[k]});
    }
    for (int64_t i = 0; i < line.size(); ++i)
      cells[batch * line.size() + i] = Fit(out.type, line.cells[i]);
  }
  return out;
}

}  // namespace tessera::testing::evaluator
