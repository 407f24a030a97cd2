// Element-wise work, linear algebra, sorts, batch norms and the additions of collectives.
#include <algorithm>

#include "tessera/hlo/attributes.h"
#include "tessera/projection/cost/compute/work_rules.h"
#include "tessera/projection/signatures/collectives.h"
#include "tessera/projection/signatures/opcode_sets.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using hlo::Opcode;

int64_t FloorLog2(int64_t x) {
  int64_t log = 0;
  while (x > 1) x /= 2, ++log;
  return log;
}

int64_t CeilLog2(int64_t x) { return x <= 1 ? 0 : FloorLog2(x - 1) + 1; }

int64_t ComplexFactor(Opcode opcode) {
  switch (opcode) {
    case Opcode::kMultiply:
      return 6;
    case Opcode::kAdd:
    case Opcode::kSubtract:
      return 2;
    case Opcode::kDivide:
      return 11;
    default:
      return 1;
  }
}

}  // namespace

absl::StatusOr<Tally> ElementwiseWork(const Work& w) {
  if (IsTranscendental(w.opcode())) return Tally{0, w.out_cells};
  const bool complex =
      w.mode == CostMode::kExact && layout::IsComplex(w.module.shape(w.id).element_type());
  return Tally{Checked(w.out_cells) * (complex ? ComplexFactor(w.opcode()) : 1), 0};
}

absl::StatusOr<Tally> MapWork(const Work& w) { return Applications(w, 0, w.out_cells); }

absl::StatusOr<Tally> ScatterWork(const Work& w) {
  const int arrays = (static_cast<int>(w.module.operands(w.id).size()) - 1) / 2;
  TESSERA_ASSIGN_OR_RETURN(int64_t updates, CellsOf(w.operand(arrays + 1)));
  return Applications(w, 0, updates);
}

absl::StatusOr<Tally> SortWork(const Work& w) {
  const int64_t dim = hlo::GetDimension(w.module, w.id).value_or(0);
  const int64_t cells = w.operand(0).NumElements().value_or(0);
  const int64_t sorted =
      w.mode == CostMode::kXla || w.operand(0).rank() == 0 ? cells : w.operand(0).dim(dim);
  return Tally{Checked(w.whole ? cells : w.out_cells) * CeilLog2(sorted), 0};
}

absl::StatusOr<Tally> TopKWork(const Work& w) {
  return Tally{w.mode == CostMode::kXla ? 0 : w.in_cells, 0};
}

absl::StatusOr<Tally> FftWork(const Work& w) {
  const hlo::IntList lengths =
      hlo::GetInts(w.module, w.id, hlo::AttributeName::kFftLength).value_or(hlo::IntList());
  Checked sum = 0, product = 1;
  for (int64_t length : lengths) {
    sum += FloorLog2(length);
    product *= FloorLog2(length);
  }
  return Tally{Checked(8) * w.in_cells * (w.mode == CostMode::kXla ? product : sum), 0};
}

absl::StatusOr<Tally> CholeskyWork(const Work& w) {
  const layout::Shape& a = w.operand(0);
  const Checked cubes = Checked(w.in_cells) * a.dim(a.rank() - 1);
  return Tally{cubes.ok() ? Checked(cubes.value() / 3) : cubes, 0};
}

absl::StatusOr<Tally> TriangularSolveWork(const Work& w) {
  const layout::Shape& a = w.operand(0);
  return Tally{Checked(w.out_cells) * a.dim(a.rank() - 1) * (w.mode == CostMode::kXla ? 2 : 1), 0};
}

absl::StatusOr<Tally> RngWork(const Work& w) {
  // Every produced number, the new state of the generator included.
  if (!w.whole) return Tally{0, w.out_cells};
  TESSERA_ASSIGN_OR_RETURN(int64_t all, CellsOf(w.module.shape(w.id)));
  return Tally{0, all};
}

absl::StatusOr<Tally> BatchNormWork(const Work& w) {
  if (w.mode == CostMode::kXla) return Tally();
  const int64_t feature =
      hlo::GetInt(w.module, w.id, hlo::AttributeName::kFeatureIndex).value_or(0);
  const Checked cells = w.whole ? w.operand(0).NumElements().value_or(0) : w.out_cells;
  const Checked features =
      w.whole ? w.operand(0).dim(feature) : w.block.extent(static_cast<int>(feature));
  struct Row {
    Opcode opcode;
    int64_t per_cell, per_feature;
  };
  // Training: 1 mean, 3 centred square and its sum, 3 normalise, scale and shift; per feature 2
  // divisions, epsilon and the product of rsqrt and scale.
  constexpr Row kRows[] = {{Opcode::kBatchNormTraining, 7, 4},
                           {Opcode::kBatchNormInference, 3, 2},
                           {Opcode::kBatchNormGrad, 13, 5}};
  const Row* row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Row& r) { return r.opcode == w.opcode(); });
  return Tally{cells * row->per_cell + features * row->per_feature, features};
}

absl::StatusOr<Tally> CollectiveWork(const Work& w) {
  const bool scatters = w.opcode() == Opcode::kReduceScatter;
  if (w.mode == CostMode::kXla) return scatters ? Tally() : Tally{w.out_cells, 0};
  const int64_t n = GroupSize(w.module, w.id);
  TESSERA_ASSIGN_OR_RETURN(int64_t cells, CellsOf(w.operand(0)));
  const Checked chunk = CeilDiv(cells, std::max<int64_t>(n, 1));
  return Applications(w, 0, chunk * (n - 1));
}

}  // namespace tessera::projection
