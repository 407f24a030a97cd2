#include "tessera/sharding/propagation/run/groups.h"

#include "absl/algorithm/container.h"

namespace tessera::sharding::propagation {
namespace {

bool SaysSomething(const TensorSharding& s) {
  return absl::c_any_of(s.dims(),
                        [](const DimensionSharding& d) { return d.is_closed || !d.axes.empty(); });
}

}  // namespace

GroupVerdict ResolveGroupSharding(absl::Span<const ShardingId> members,
                                  const ShardingTable& table) {
  GroupVerdict verdict;
  for (const ShardingId id : members) {
    if (id == kNoSharding || !SaysSomething(table[id])) continue;
    if (verdict.kind == GroupVerdict::kSilent) {
      verdict = {GroupVerdict::kAgree, id};
    } else if (verdict.sharding != id) {
      return {GroupVerdict::kDisagree, kNoSharding};
    }
  }
  return verdict;
}

}  // namespace tessera::sharding::propagation
