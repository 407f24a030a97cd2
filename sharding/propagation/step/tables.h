// The tables to which the ids of a program refer, and what propagation asks of its meshes.

#ifndef TESSERA_SHARDING_PROPAGATION_STEP_TABLES_H_
#define TESSERA_SHARDING_PROPAGATION_STEP_TABLES_H_

#include <optional>

#include "absl/types/span.h"
#include "tessera/sharding/factors/rule_table.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/sharding_table.h"

namespace tessera::sharding::propagation {

// Not owned. Propagation adds shardings and rules.
struct Tables {
  const MeshTable* meshes = nullptr;
  ShardingTable* shardings = nullptr;
  factors::RuleTable* rules = nullptr;
};

// The mesh on which an op with these shardings works (kNoSharding entries do not count; an empty
// mesh gives way to any other). None if no tensor has a sharding, if two meshes differ in axes or
// device order, or if it is a single device.
std::optional<MeshId> CommonMesh(absl::Span<const ShardingId> shardings, const Tables& tables);

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_STEP_TABLES_H_
