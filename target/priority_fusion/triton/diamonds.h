// triton-softmax-rewriter: a reduction of rows whose result each element of the rows meets again becomes one
// kernel of Triton, which reads a row once.
//
//   m = f32[8] reduce(x, -inf), dimensions={1}              x = f32[8,64]
//   b = f32[8,64] broadcast(m), dimensions={0}
//   s = f32[8,64] subtract(x, b)                            a diamond from x to s
//
// Between x and the reduction, and on the other sides, may stand operations with one user that need no more
// than the row: of one operand, or with a broadcast number. XLA also asks its cost model, which had no
// objection in any of 173 diamonds of 42 training steps. Rows of more than 16,384 elements are left alone.
//
// Cost: linear in the computation. Tested by triton_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_TRITON_DIAMONDS_H_
#define TESSERA_TARGET_PRIORITY_FUSION_TRITON_DIAMONDS_H_

#include <vector>

#include "tessera/target/program/device_program.h"

namespace tessera::target {

struct Diamond {
  InstructionId root = kNoId;
  std::vector<InstructionId> inner;  // users before what they use, without the root
};

// The last one of the computation's post-order first, as XLA makes them.
std::vector<Diamond> FindDiamonds(const DeviceProgram& program,
                                  const std::vector<InstructionId>& post_order);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_TRITON_DIAMONDS_H_
