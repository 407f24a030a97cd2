// How large a module becomes when every caller gets a computation of its own, counted before
// anything is copied. Thirty functions that each call the one before twice are half a billion
// copies of the first.

#ifndef TESSERA_PIPELINE_PASSES_CLONE_LIMIT_H_
#define TESSERA_PIPELINE_PASSES_CLONE_LIMIT_H_

#include <cstdint>

#include "absl/status/status.h"
#include "tessera/hlo/module.h"

namespace tessera::pipeline::passes {

// Some 10 GB.
inline constexpr int64_t kMostInstructions = 10'000'000;

// InvalidArgument (text::ErrorAt) at the first call, callees first, that takes a computation beyond
// kMostInstructions.
absl::Status CheckClones(const hlo::Module& module);

}  // namespace tessera::pipeline::passes

#endif  // TESSERA_PIPELINE_PASSES_CLONE_LIMIT_H_
