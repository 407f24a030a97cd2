// Operations that a random program is made of. Each takes operands that are there, or makes some.
//
//   FillAtRandom(maker, 12);

#ifndef TESSERA_TESTING_TARGET_PASSES_RANDOM_RANDOM_OPS_H_
#define TESSERA_TESTING_TARGET_PASSES_RANDOM_RANDOM_OPS_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "tessera/testing/target_passes/random/program_maker.h"

namespace tessera::testing::random_programs {

using RandomOp = void (*)(ProgramMaker&);

absl::Span<const RandomOp> MovingOps();
absl::Span<const RandomOp> IndexingOps();
absl::Span<const RandomOp> ComputingOps();
absl::Span<const RandomOp> ControlFlowOps();
absl::Span<const RandomOp> CollectiveOps();

void FillAtRandom(ProgramMaker& maker, int64_t operations);

// A module of up to `operations` operations, the same for each seed.
std::string RandomProgram(unsigned seed, int64_t operations);

}  // namespace tessera::testing::random_programs

#endif  // TESSERA_TESTING_TARGET_PASSES_RANDOM_RANDOM_OPS_H_
