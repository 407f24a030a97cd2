// Scan: a loop over one dimension. The computation takes a slice of each input and the carries, and
// gives a slice of each output and the next carries.
#include <utility>

#include "tessera/testing/evaluator/kernel.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

// Position `at` along `dim`, without that dimension.
Array SliceAt(const Array& in, int dim, int64_t at) {
  const IntList kept = Others(in.rank(), {dim});
  Array out = MakeArray(in.type, Pick(in.dims, kept));
  for (int64_t i = 0; i < in.size(); ++i) {
    const ZPoint index = IndexOf(i, in.dims);
    if (index[dim] == at) out.At(Pick(index, kept)) = in.cells[i];
  }
  return out;
}

void PutSlice(const Array& slice, int dim, int64_t at, Array* out) {
  const IntList kept = Others(out->rank(), {dim});
  for (int64_t i = 0; i < out->size(); ++i) {
    const ZPoint index = IndexOf(i, out->dims);
    if (index[dim] == at) out->cells[i] = slice.At(Pick(index, kept));
  }
}

}  // namespace

absl::StatusOr<Value> Scan(const Op& op) {
  const int dim = static_cast<int>(hlo::GetDimension(op.module, op.id).value_or(0));
  const int carries = static_cast<int>(
      hlo::GetInt(op.module, op.id, AttributeName::kNumCarries).value_or(op.num_operands() / 2));
  const int inputs = op.num_operands() - carries;
  const bool reverse = hlo::GetBool(op.module, op.id, AttributeName::kIsReverse).value_or(false);
  Value out = MakeValue(op.shape());
  const std::vector<Array*> leaves = Leaves(&out);
  const int outputs = static_cast<int>(leaves.size()) - carries;
  std::vector<Value> state;
  for (int k = 0; k < carries; ++k) state.push_back(*op.operands[inputs + k]);
  const int64_t extent = inputs > 0 ? op.in(0).dims[dim] : 0;
  for (int64_t step = 0; step < extent; ++step) {
    const int64_t at = reverse ? extent - 1 - step : step;
    std::vector<Value> arguments;
    for (int k = 0; k < inputs; ++k) arguments.push_back(SliceAt(op.in(k), dim, at));
    arguments.insert(arguments.end(), state.begin(), state.end());
    TESSERA_ASSIGN_OR_RETURN(Value made, op.interpreter.Run(op.called(), std::move(arguments)));
    const std::vector<const Array*> results = Leaves(std::as_const(made));
    for (int k = 0; k < outputs; ++k) PutSlice(*results[k], dim, at, leaves[k]);
    for (int k = 0; k < carries; ++k) state[k] = *results[outputs + k];
  }
  for (int k = 0; k < carries; ++k) *leaves[outputs + k] = state[k].array;
  return out;
}

}  // namespace tessera::testing::evaluator
