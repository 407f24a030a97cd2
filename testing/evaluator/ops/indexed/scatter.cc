// Scatter: windows of the updates combined into the data, in row-major order of the updates.
// Windows that do not fit are left out whole.
#include <utility>

#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/ops/combiner.h"
#include "tessera/testing/evaluator/ops/indexed/indexed.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

// Where an update goes; `fits` is whether all of its window lies inside the data.
struct Target {
  ZPoint at;
  bool fits = true;
};

class Places {
 public:
  Places(const Op& op, int n)
      : d_(hlo::GetScatterDimensions(op.module, op.id)),
        data_(op.in(0)),
        indices_(op.in(n)),
        updates_(op.in(n + 1)) {
    IntList gone = d_.inserted_window_dims;
    gone.insert(gone.end(), d_.input_batching_dims.begin(), d_.input_batching_dims.end());
    window_data_dims_ = Others(data_.rank(), gone);
    batch_dims_ = Others(updates_.rank(), d_.update_window_dims);
  }

  Target Of(const ZPoint& u) const {
    const ZPoint batch = Pick(u, batch_dims_);
    Target t{StartOf(indices_, batch, d_.index_vector_dim, d_.scatter_dims_to_operand_dims,
                     data_.rank()),
             true};
    AddBatch(d_.input_batching_dims, d_.scatter_indices_batching_dims, d_.index_vector_dim, batch,
             &t.at);
    ZPoint window = ZPoint::Filled(data_.rank(), 1);
    for (size_t w = 0; w < window_data_dims_.size(); ++w)
      window[static_cast<int>(window_data_dims_[w])] =
          updates_.dims[static_cast<int>(d_.update_window_dims[w])];
    for (int r = 0; r < data_.rank(); ++r)
      t.fits &= t.at[r] >= 0 && t.at[r] <= data_.dims[r] - window[r];
    for (size_t w = 0; w < window_data_dims_.size(); ++w)
      t.at[static_cast<int>(window_data_dims_[w])] += u[static_cast<int>(d_.update_window_dims[w])];
    return t;
  }

 private:
  hlo::ScatterDimensions d_;
  const Array &data_, &indices_, &updates_;
  IntList window_data_dims_, batch_dims_;
};

}  // namespace

absl::StatusOr<Value> Scatter(const Op& op) {
  const int n = (op.num_operands() - 1) / 2;
  const Places places(op, n);
  const Combiner combiner(op, op.called());
  Value out = MakeValue(op.shape());
  const std::vector<Array*> leaves = Leaves(&out);
  const ZRange asked = op.Asked(leaves[0]->dims);
  for (int k = 0; k < n; ++k) {
    Cell* cells = leaves[k]->cells.Data();
    op.ForEachPosition(leaves[k]->dims, [&](int64_t i) { cells[i] = op.in(k).cells[i]; });
  }
  for (int64_t i = 0; i < op.in(n + 1).size(); ++i) {
    const Target target = places.Of(IndexOf(i, op.in(n + 1).dims));
    if (!target.fits || !asked.Contains(target.at)) continue;
    Cells current, update;
    for (int k = 0; k < n; ++k) {
      current.push_back(leaves[k]->At(target.at));
      update.push_back(op.in(n + 1 + k).cells[i]);
    }
    TESSERA_RETURN_IF_ERROR(combiner.Apply(update, &current));
    for (int k = 0; k < n; ++k) leaves[k]->At(target.at) = current[k];
  }
  return out;
}

}  // namespace tessera::testing::evaluator
