// The rules after work.h: one small function for each family of operations.
#ifndef TESSERA_PROJECTION_COST_COMPUTE_WORK_RULES_H_
#define TESSERA_PROJECTION_COST_COMPUTE_WORK_RULES_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "tessera/projection/cost/compute/work.h"

namespace tessera::projection {

// Costs of one application of computations, each found once.
using KnownApplications = absl::flat_hash_map<hlo::ComputationId, Operations>;

// The part of an instruction that is priced.
struct Work {
  const hlo::Module& module;
  hlo::InstructionId id;
  CostMode mode;
  ZRange block;       // of the first array of the result
  int64_t out_cells;  // of the block
  int64_t in_cells;   // of operand 0 that the block reads
  bool whole;         // the block is the whole result
  KnownApplications* known;

  hlo::Opcode opcode() const { return module.instruction(id).opcode; }
  const layout::Shape& operand(int k) const {
    return module.shape(module.operands(id)[static_cast<size_t>(k)]);
  }
};

// Flops and transcendentals while they are added up.
struct Tally {
  Checked flops = 0, transcendentals = 0;
};
using WorkRule = absl::StatusOr<Tally> (*)(const Work& w);

// work_contraction.cc
absl::StatusOr<Tally> DotWork(const Work& w);
absl::StatusOr<Tally> RaggedDotWork(const Work& w);
absl::StatusOr<Tally> ConvolutionWork(const Work& w);
// work_window.cc
absl::StatusOr<Tally> ReduceWork(const Work& w);
absl::StatusOr<Tally> ReduceWindowWork(const Work& w);
absl::StatusOr<Tally> SelectAndScatterWork(const Work& w);
// work_other.cc
absl::StatusOr<Tally> ElementwiseWork(const Work& w);
absl::StatusOr<Tally> MapWork(const Work& w);
absl::StatusOr<Tally> ScatterWork(const Work& w);
absl::StatusOr<Tally> SortWork(const Work& w);
absl::StatusOr<Tally> FftWork(const Work& w);
absl::StatusOr<Tally> CholeskyWork(const Work& w);
absl::StatusOr<Tally> TriangularSolveWork(const Work& w);
absl::StatusOr<Tally> RngWork(const Work& w);
absl::StatusOr<Tally> BatchNormWork(const Work& w);
absl::StatusOr<Tally> CollectiveWork(const Work& w);
absl::StatusOr<Tally> TopKWork(const Work& w);

// `times` applications of the computation that the instruction calls as number `which`.
absl::StatusOr<Tally> Applications(const Work& w, int which, Checked times);

// Cells of all arrays of a shape; kOverflow.
absl::StatusOr<int64_t> CellsOf(const layout::Shape& shape);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_COMPUTE_WORK_RULES_H_
