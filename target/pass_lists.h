// The passes of a target.
//
//   absl::StatusOr<absl::Span<const Pass>> passes = PassesOf(*ParseTarget("h100:8"));

#ifndef TESSERA_TARGET_PASS_LISTS_H_
#define TESSERA_TARGET_PASS_LISTS_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/sharding/partition/options.h"
#include "tessera/target/pass.h"
#include "tessera/target/xla_flags.h"

namespace tessera::target {

// The passes after the partitioner; none for a CPU. Unimplemented, with --target=NAME, for TPUs without
// measured rules.
absl::StatusOr<absl::Span<const Pass>> PassesOf(const Target& target);

// The passes that finish partitioning as the target's own partitioner does; none except on TPUs.
absl::Span<const Pass> PassesOfPartitioner(const Target& target);

// The passes before the module that memory is predicted from. On GPUs these are PassesOf(); on TPUs
// collectives are not combined yet.
absl::Span<const Pass> PassesBeforeKernels(const Target& target);

// XLA's spmd-cleanup, the end of the pass spmd-partitioning on every platform: unused instructions,
// tuples that are made and taken apart, and equal instructions go.
absl::Span<const Pass> SpmdCleanUp();

// The options by which the partitioner of the target differs from that of CPUs.
sharding::partition::Options PartitionerOptions(const Target& target, const XlaFlags& flags);

// From how many instructions a function of several callers stays a function through the partitioner.
// Nothing where all calls are inlined in front of Shardy.
std::optional<size_t> SizeOfKeptCallees(const Target& target);

// The passes in front of Shardy, on a module whose other calls are inlined; none for a CPU.
absl::Span<const Pass> PassesBeforeShardy(const Target& target);

// Passes that are modelled for what they decide alone, without a program after them (`run` is null); none
// but on GPUs.
absl::Span<const Pass> PassesModelled(const Target& target);

// XLA's name of a pass; - where it has none.
absl::string_view ReferenceName(const Pass& pass);

// The caveat of an answer on collectives of this target, by the stage of the program before; empty where
// the passes are XLA's.
std::string CollectivesCaveat(const Target& target, bool was_partitioned);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PASS_LISTS_H_
