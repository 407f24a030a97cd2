// The passes of a target.
//
//   absl::StatusOr<absl::Span<const Pass>> passes = PassesOf(*ParseTarget("h100:8"));

#ifndef TESSERA_TARGET_PASS_LISTS_H_
#define TESSERA_TARGET_PASS_LISTS_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/target/pass.h"

namespace tessera::target {

// What runs behind the partitioner; nothing for a CPU. Unimplemented for TPUs, with --target=NAME.
absl::StatusOr<absl::Span<const Pass>> PassesOf(const Target& target);

// What runs in front of Shardy, on a module whose calls are inlined; nothing for a CPU. Nothing is
// modelled for TPUs.
absl::Span<const Pass> PassesBeforeShardy(const Target& target);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PASS_LISTS_H_
