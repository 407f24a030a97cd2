// Sharding groups: values that shall end with one and the same sharding.
//
//   GroupSharding v = ResolveGroupSharding(member_shardings, table);
//   if (v.kind == GroupSharding::kAgree) every member takes v.sharding;
//
// Before propagation each group looks at the members that say something about a dimension (an axis,
// or a closed dimension; replicated axes alone say nothing). If these all say the same, every
// member takes it. If they differ, the group is separated: each member gets a fully open constraint
// that takes its place, in its uses and in the group. The latter changes the program, so it is the
// work of the program's builder.

#ifndef TESSERA_SHARDING_PROPAGATION_RUN_GROUPS_H_
#define TESSERA_SHARDING_PROPAGATION_RUN_GROUPS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "tessera/sharding/sharding_table.h"

namespace tessera::sharding::propagation {

struct GroupSharding {
  enum Kind : uint8_t {
    kUnconstrained,  // no member says anything: nothing to do
    kAgree,          // every member takes `sharding`
    kDisagree,       // the members must be separated
  };
  Kind kind = kUnconstrained;
  ShardingId sharding = kNoSharding;
};

// `members`: the sharding of each member, kNoSharding where it has none.
GroupSharding ResolveGroupSharding(absl::Span<const ShardingId> members,
                                   const ShardingTable& table);

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_RUN_GROUPS_H_
