#include "tessera/sharding/propagation/run/groups.h"

#include "absl/algorithm/container.h"

namespace tessera::sharding::propagation {
namespace {

bool SaysSomething(const TensorSharding& s) {
  return absl::c_any_of(s.dims(),
                        [](const DimensionSharding& d) { return d.is_closed || !d.axes.empty(); });
}

}  // namespace

GroupSharding ResolveGroupSharding(absl::Span<const ShardingId> members,
                                   const ShardingTable& table) {
  GroupSharding verdict;
  for (const ShardingId id : members) {
    if (id == kNoSharding || !SaysSomething(table[id])) continue;
    if (verdict.kind == GroupSharding::kUnconstrained) {
      verdict = {GroupSharding::kAgree, id};
    } else if (verdict.sharding != id) {
      return {GroupSharding::kDisagree, kNoSharding};
    }
  }
  return verdict;
}

}  // namespace tessera::sharding::propagation
