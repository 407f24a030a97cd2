// The passes, as functions on a Context (target/pass.h). The file of each says what it
// does; the lists of target/pass_lists.h say in which order they run.
//
// Errors are InvalidArgument with the offset of an instruction (text::ErrorOffset).

#ifndef TESSERA_TARGET_PASSES_PASSES_H_
#define TESSERA_TARGET_PASSES_PASSES_H_

#include "absl/status/status.h"
#include "tessera/target/pass.h"

namespace tessera::target {

// General rewrites.
absl::Status InlineCalls(Context& context);
absl::Status SimplifyTuples(Context& context);
absl::Status SimplifyWhileLoops(Context& context);
absl::Status RemoveNoOps(Context& context);
absl::Status RemoveNoOpReducePrecision(Context& context);
absl::Status EliminateCommonSubexpressions(Context& context);
absl::Status RemoveDeadCode(Context& context);

// Of collectives.
absl::Status SimplifyAllReduces(Context& context);
absl::Status FoldAllReduces(Context& context);
absl::Status SplitAllReduces(Context& context);
absl::Status OptimizeAllGathers(Context& context);
absl::Status SimplifySlicedAllGathers(Context& context);
absl::Status ReassociateAllReduces(Context& context);
absl::Status MoveAllReducesOutOfLoops(Context& context);
absl::Status MoveAddedSumsOutOfLoops(Context& context);  // as TPUs do it
absl::Status QuantizeCollectives(Context& context);
absl::Status CreateReduceScatters(Context& context);
absl::Status ReorderGathersOfBroadcasts(Context& context);
absl::Status RemoveDegenerateDims(Context& context);
absl::Status PromoteAllReduces(Context& context);
absl::Status CombineAllGathers(Context& context);
absl::Status CombineAllReduces(Context& context);
absl::Status CombineReduceScatters(Context& context);
absl::Status CombineCollectivePermutes(Context& context);
absl::Status MakeAllReducesContiguous(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PASSES_PASSES_H_
