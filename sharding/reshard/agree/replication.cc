// Factors that have to be replicated give their axes away.

#include "absl/types/span.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/reshard/agree/agree.h"

namespace tessera::sharding::reshard {
namespace {

using factors::FactorKind;
using factors::OpShardingRule;

// Moves axes from the front of `from` to the batching factor `f` while they divide it evenly.
void Fill(const OpShardingRule& rule, const Mesh& mesh, int f, absl::Span<const AxisRef>& from,
          AxisList& to) {
  const int64_t sharded = ShardedSize(to, mesh);
  if (rule.size(f) == 0 || rule.size(f) % sharded != 0) return;
  int64_t capacity = rule.size(f) / sharded;
  while (!from.empty() && capacity % from.front().size(mesh) == 0) {
    capacity /= from.front().size(mesh);
    AddOrMerge(to, from.front(), mesh);
    from.remove_prefix(1);
  }
}

}  // namespace

void HandOnReplicated(const OpShardingRule& rule, const Mesh& mesh, std::vector<AxisList>& axes) {
  for (int f = 0; f < rule.num_factors(); ++f) {
    if (rule.kind(f) != FactorKind::kNeedReplication) continue;
    const AxisList given = axes[f];
    axes[f].clear();
    if (!rule.in_all_non_scalar_tensors(f)) continue;
    absl::Span<const AxisRef> left = given;
    for (int batching = 0; batching < rule.num_factors() && !left.empty(); ++batching) {
      if (rule.is_batching(batching)) Fill(rule, mesh, batching, left, axes[batching]);
    }
  }
}

}  // namespace tessera::sharding::reshard
