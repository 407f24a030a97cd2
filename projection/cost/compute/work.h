// Arithmetic of an instruction, or of a block of it, in operations.
//
//   // one eighth of a matrix product [512,256] x [256,128]
//   const ZRange block = *ZRange::Parse("zr[0:64, 0:128]");
//   OperationsOfBlock(module, id, block)->flops    // 2 * 64 * 128 * 256
//
// Two ways of counting: kExact counts what is computed (taps that hit a cell, six operations for a
// complex product); kXla follows XLA's own cost analysis, for comparison with its figures.
#ifndef TESSERA_PROJECTION_COST_COMPUTE_WORK_H_
#define TESSERA_PROJECTION_COST_COMPUTE_WORK_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/projection/core/range.h"
#include "tessera/text/checked.h"

namespace tessera::projection {

enum class CostMode { kExact, kXla };

struct Operations {
  int64_t flops = 0;
  int64_t transcendentals = 0;  // exponentials, logarithms, roots, ...: not counted as flops
  bool unknown = false;         // a custom call
};

// Of the whole instruction. Computations that it calls once (call, fusion, while, conditional) are
// not in it: totals.h adds them. kOverflow.
absl::StatusOr<Operations> OperationsOf(const hlo::Module& module, hlo::InstructionId id,
                                        CostMode mode);

// Of the indices of `block` alone, a block of the first array of the result. Exact mode.
absl::StatusOr<Operations> OperationsOfBlock(const hlo::Module& module, hlo::InstructionId id,
                                             const ZRange& block);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_COMPUTE_WORK_H_
