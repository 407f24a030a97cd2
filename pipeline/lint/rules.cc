#include "tessera/pipeline/lint/rules/rules.h"

#include "tessera/pipeline/lint/rule.h"

namespace tessera::pipeline::lint {
namespace {

constexpr Rule kRules[] = {
    {"replicated-array", "max-replicated", Unit::kBytes, "64MiB",
     "an array of more bytes than the budget is replicated on every device", CheckReplicatedArrays},
    {"loop-gather", "max-loop-gather", Unit::kBytes, "64MiB",
     "all-gathers in a loop send more bytes than the budget, in all its runs", CheckLoopGathers,
     /*needs_partition=*/true},
    {"rematerialization", "max-rematerialized", Unit::kBytes, "1MiB",
     "the partitioner replicates an array of more bytes than the budget, for want of a direct way "
     "between two shardings (XLA logs \"Involuntary full rematerialization\")",
     CheckRematerializations, /*needs_partition=*/true},
    {"uneven-shard", "max-uneven", Unit::kBytes, "1MiB",
     "a dimension does not divide evenly, which costs the largest share more bytes than the budget",
     CheckUnevenShards},
    {"padded-layout", "max-padding", Unit::kFactor, "1.5",
     "an array of 1 MiB or more takes more times its bytes than the budget, in the layout of the "
     "target",
     CheckPadding, /*needs_partition=*/true},
    {"missed-donation", "max-undonated", Unit::kBytes, "1MiB",
     "an argument of more bytes than the budget is not donated, although a result has its shape "
     "and sharding; or it is donated, and the result of its shape has another sharding",
     CheckDonation},
    {"large-collective", "max-collective", Unit::kBytes, "",
     "a collective sends more bytes than the budget, in all its runs", CheckCollectives,
     /*needs_partition=*/true},
    {"sent-bytes", "max-sent", Unit::kBytes, "",
     "all collectives of a step together send more bytes than the budget", CheckSentBytes,
     /*needs_partition=*/true},
    {"memory-limit", "memory-limit", Unit::kBytes, "",
     "the program needs more bytes of a device than the budget; without a budget, than the "
     "--target has",
     CheckMemory, /*needs_partition=*/true},
};

}  // namespace

absl::Span<const Rule> Rules() { return kRules; }

const Rule* FindRule(absl::string_view id) {
  for (const Rule& rule : kRules) {
    if (rule.id == id) return &rule;
  }
  return nullptr;
}

const std::string& DisplayName(const LintTensor& tensor) {
  return tensor.argument >= 0 && !tensor.op_name.empty() ? tensor.op_name : tensor.name;
}

}  // namespace tessera::pipeline::lint
