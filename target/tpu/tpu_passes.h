// Passes of the compiler of TPUs after the SPMD partitioner, as far as they decide which
// collectives run.
//
//   for (const Pass& pass : TpuPasses()) std::cout << pass.name << "\n";
//
// That compiler is not open. Its passes here are rules, found from modules before and after them
// (libtpu 0.0.50.1). How often they are right:
// docs/targets.md. Tested by tpu_passes_test.cc.

#ifndef TESSERA_TARGET_TPU_TPU_PASSES_H_
#define TESSERA_TARGET_TPU_TPU_PASSES_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/sharding/partition/options.h"
#include "tessera/target/pass.h"

namespace tessera::target {

absl::Span<const Pass> TpuPasses();
// Changes of its partitioner that the one of CPUs does not make, on a module that the latter has
// partitioned.
absl::Span<const Pass> TpuPassesOfPartitioner();
// The passes that run before memory is predicted.
absl::Span<const Pass> TpuPassesBeforeKernels();
// Its passes in front of Shardy: equal instructions are merged, and the rules that it has in common
// with the compiler of GPUs.
absl::Span<const Pass> TpuPassesBeforeShardy();

// A function of several callers is not inlined in front of Shardy if it has as many instructions; parameters and
// constants count. Probes show it: chains of elementwise operations in a function that is called two to twenty times.
inline constexpr size_t kTpuKeptCallee = 20;

// When its partitioner does dots in windows; nothing of it for a chip without measured rules.
sharding::partition::Options TpuPartitionerOptions(const Target& target, const XlaFlags& flags);

// XLA's name of a pass; - where it has none.
absl::string_view TpuReferenceName(absl::string_view pass);

// How often collectives are right, in words; testing/targets.sh holds them to what it counts.
absl::string_view TpuShares(const Target& target, bool was_partitioned);

// Whether the rules were measured on this chip.
bool HasTpuPasses(const Chip& chip);

// Tiles of all the chunks of a reduce-scatter that are in the memory of a device at once. HasTpuPasses(chip).
int64_t TilesOfChunks(const Chip& chip);

// The name of SplitIciDcn().
inline constexpr absl::string_view kSplitIciDcn = "split-ici-dcn";

// Whether all_gather_decomposer makes an all-gather of one array an all-reduce.
absl::StatusOr<bool> BecomesSum(Context& context, InstructionId gather);

// The passes that no other target has.
absl::Status UnrollOneTripLoops(Context& context);
absl::Status UnifyStacksOfLoops(Context& context);
absl::Status MergeBeforeShardy(Context& context);
absl::Status GatherDimensionsAtOnce(Context& context);
absl::Status ReshapeBeforeSums(Context& context);
absl::Status MergeNearGathers(Context& context);
// In the simplified module, where some are nearer.
absl::Status MergeNearGathersAgain(Context& context);
absl::Status MergeEqualCollectives(Context& context);
absl::Status CopyTables(Context& context);
absl::Status CopyGroups(Context& context);
absl::Status CopyRaggedGathers(Context& context);
absl::Status CopyHeads(Context& context);
absl::Status CopyImages(Context& context);
absl::Status ConvertSpaceToBatch(Context& context);
absl::Status PutRowsInWindows(Context& context);
absl::Status MoveInvariantExchanges(Context& context);
absl::Status MoveSlicesToSums(Context& context);
absl::Status DecomposeReduceScatters(Context& context);
absl::Status FuseSumsWithSlices(Context& context);
absl::Status DecomposeAllGathers(Context& context);
absl::Status NarrowCollectives(Context& context);
absl::Status NarrowProducts(Context& context);
absl::Status NarrowLoops(Context& context);
absl::Status PadReduceScatters(Context& context);
absl::Status CombineCrossSliceSums(Context& context);
absl::Status CombineTpuAllReduces(Context& context);
absl::Status CombineTpuReduceScatters(Context& context);
absl::Status SplitIciDcn(Context& context);
absl::Status PipelineCrossSliceSums(Context& context);
absl::Status ScatterCrossSliceSums(Context& context);
absl::Status SplitPermutes(Context& context);
absl::Status RewriteCrossSlice(Context& context);
absl::Status PadCrossSliceSums(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_TPU_TPU_PASSES_H_
