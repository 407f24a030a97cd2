// All-reduces of which each device keeps its part become reduce-scatters.
//
//   ScatterSums(context, "reduce-scatter-creator", [](const SplitSum&) { return true; });
//
// Rewrites the all-reduces that FindKeptPart() matches (split_match.h) and the caller wants. Tested by
// collective_passes_test.cc and tpu/tpu_passes_test.cc.

#ifndef TESSERA_TARGET_PASSES_SUMS_SCATTER_SUMS_H_
#define TESSERA_TARGET_PASSES_SUMS_SCATTER_SUMS_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tessera/target/pass.h"
#include "tessera/target/passes/sums/split_match.h"

namespace tessera::target {

struct SplitSum {
  InstructionId all_reduce = kNoId;
  GroupsId groups = 0;
  KeptPart split;
};

// `pass` stands in the provenance of what is made. Errors are InvalidArgument with the offset of an
// instruction, for groups that cannot be listed.
absl::Status ScatterSums(Context& context, absl::string_view pass,
                         absl::FunctionRef<bool(const SplitSum&)> is_wanted);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PASSES_SUMS_SCATTER_SUMS_H_
