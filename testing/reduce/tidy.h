// The work after steps (step.h) that makes a module again.

#ifndef TESSERA_TESTING_REDUCE_TIDY_H_
#define TESSERA_TESTING_REDUCE_TIDY_H_

#include "tessera/hlo/builder.h"
#include "tessera/hlo/module.h"

namespace tessera::testing::reduce {

// Takes out instructions of `builder` that have lost their last user since `before` (one that had
// no user there stays, it may be there for its effect) and computations that nobody calls; makes
// the header agree with the parameters and the result.
void Tidy(const hlo::Module& before, hlo::Builder& builder);

}  // namespace tessera::testing::reduce

#endif  // TESSERA_TESTING_REDUCE_TIDY_H_
