#include "tessera/target/pass_lists.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

constexpr char kCleanUp[] = "spmd-cleanup";

constexpr char kTpuPartition[] =
    "note: FILE counts as the partition of a TPU's compiler, as `tessera partition --target` makes "
    "it; a CPU's has no windowed einsums\n";

constexpr Pass kSpmdCleanUp[] = {
    {kCleanUp, "tuple-simplifier", "removes tuples that are made and taken apart", SimplifyTuples},
    {kCleanUp, "dce", "removes unused instructions", RemoveDeadCode},
    {kCleanUp, "cse", "merges equal instructions", EliminateCommonSubexpressions},
};

}  // namespace

absl::StatusOr<absl::Span<const Pass>> PassesOf(const Target& target) {
  switch (target.chip->platform) {
    case Platform::kCpu:
      return absl::Span<const Pass>();
    case Platform::kGpu:
      return GpuPasses();
    case Platform::kTpu:
      if (HasTpuPasses(*target.chip)) return TpuPasses();
      break;
  }
  return absl::UnimplementedError(absl::StrCat(
      "--target=", target.ToString(),
      ": what this chip's compiler does after the partitioner is not modelled; ",
      target.slices == 1 ? "`memory`, `sweep` and `suggest` take it" : "`memory` takes it"));
}

absl::Span<const Pass> PassesOfPartitioner(const Target& target) {
  if (HasTpuPasses(*target.chip)) return TpuPassesOfPartitioner();
  return {};
}

absl::Span<const Pass> PassesBeforeKernels(const Target& target) {
  if (target.chip->platform == Platform::kGpu) return GpuPasses();
  if (HasTpuPasses(*target.chip)) return TpuPassesBeforeKernels();
  return {};
}

absl::Span<const Pass> SpmdCleanUp() { return kSpmdCleanUp; }

sharding::partition::Options PartitionerOptions(const Target& target, const XlaFlags& flags) {
  return TpuPartitionerOptions(target, flags);
}

absl::Span<const Pass> PassesBeforeShardy(const Target& target) {
  if (target.chip->platform == Platform::kGpu) return GpuPassesBeforeShardy();
  if (HasTpuPasses(*target.chip)) return TpuPassesBeforeShardy();
  return {};
}

absl::Span<const Pass> PassesModelled(const Target& target) {
  if (target.chip->platform != Platform::kGpu) return {};
  return GpuPassesModelled();
}

std::optional<size_t> SizeOfKeptCallees(const Target& target) {
  if (!HasTpuPasses(*target.chip)) return std::nullopt;
  return kTpuKeptCallee;
}

absl::string_view ReferenceName(const Pass& pass) { return TpuReferenceName(pass.name); }

std::string CollectivesCaveat(const Target& target, bool was_partitioned) {
  if (target.chip->platform != Platform::kTpu) return "";
  return absl::StrCat("note: predicted by rules inferred from what libtpu compiled: ",
                      TpuShares(target, was_partitioned), " (docs/targets.md)\n",
                      was_partitioned ? kTpuPartition : "");
}

}  // namespace tessera::target
