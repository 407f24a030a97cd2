// Passes of XLA's compiler for GPUs after the SPMD partitioner, as far as they decide which
// collectives and kernels run.
//
//   for (const Pass& pass : GpuPasses()) std::cout << pass.name << "\n";
//
// The order is that of jaxlib 0.12.0.1. Passes that change no collective, no kernel and nothing that another
// pass of the list looks at are left out.

#ifndef TESSERA_TARGET_GPU_GPU_PASSES_H_
#define TESSERA_TARGET_GPU_GPU_PASSES_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "tessera/target/pass.h"

namespace tessera::target {

absl::Span<const Pass> GpuPasses();

// Its passes in front of Shardy, as far as they change how a program is partitioned. Of a module
// whose calls are inlined (pipeline/passes/clean_up.h).
absl::Span<const Pass> GpuPassesBeforeShardy();

// Passes that are modelled for their decisions alone: `run` is null, and no program is after one.
absl::Span<const Pass> GpuPassesModelled();

// Passes of the lists, each with a source of its own.
absl::Status NormalizeBatchedGathersAndScatters(Context& context);
absl::Status RewriteDegenerateDimensions(Context& context);
absl::Status RewriteRaggedDots(Context& context);
absl::Status DecomposeDots(Context& context);
absl::Status MergeDots(Context& context);
absl::Status SimplifyPaddedAllGathers(Context& context);
absl::Status ReplaceSlicedAllGathersByPermutes(Context& context);
absl::Status SimplifyGathers(Context& context);
absl::Status SplitReductions(Context& context);
absl::Status RewriteTreeReductions(Context& context);
absl::Status RewriteAssociativeScans(Context& context);
absl::Status RewriteReduceWindows(Context& context);
absl::Status NormalizeBf16(Context& context);
absl::Status SimplifyFpConversions(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_GPU_PASSES_H_
