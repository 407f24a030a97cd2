// Scores of attention whose product runs in front of the kernel of their exponentials, and is written.
//
// The maximum of each row is a window of whole rows (IsRowWindow()), and the exponentials are one kernel with it. The
// product of the scores runs in that kernel too, but not
//
// - for rows of 2,048 elements and more, where the chip does not join these (Chip::joins_long_rows: v6e does);
// - for grouped queries that are computed of a projection, as by a rotation:
//
//     k = bf16[4,1024,2,128] ..           q = bf16[4,1024,2,8,128] concatenate(..)
//     s = f32[4,2,1024,1024,8] dot(k, q)       // rows of 1024 keys, for queries of two dimensions
//
//   On a chip that joins long rows it does so for 2,048 queries and more.
//
// So it is in 13 of 13 final modules of grouped queries. Where heads are repeated, or keys are the second operand,
// the product stays with the exponentials. Cost: linear in the instructions from the product to the window. Tested by
// kernels_test.cc.

#ifndef TESSERA_TARGET_DATAFLOW_APART_SCORES_H_
#define TESSERA_TARGET_DATAFLOW_APART_SCORES_H_

#include "tessera/hlo/module.h"

namespace tessera::target {

// `window`: as IsRowWindow() has it; no for all else.
bool AreScoresApart(const hlo::Module& module, hlo::InstructionId window, bool joins_long_rows);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_DATAFLOW_APART_SCORES_H_
