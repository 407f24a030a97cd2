// Sharding groups of the program: checks, merging, and the separation of those that disagree.
//
//   group 7: x, y;  group 3: y, z     ->     group 0: x, y, z
//   group 1: x;  group 0: y           ->     group 0: x;  group 1: y

#ifndef TESSERA_SHARDING_PASSES_PREPARE_GROUPS_H_
#define TESSERA_SHARDING_PASSES_PREPARE_GROUPS_H_

#include <vector>

#include "absl/status/status.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// Merges groups that share a value and numbers them from 0, in the order in which their leaders
// come in the program. Value by value, the first group that a value is in leads the others. Drops
// repeated marks. InvalidArgument if members differ in shape, or in the manual computation around
// them.
absl::Status MergeGroups(HloProgram* program);

// The marks of each group, in order of the program.
std::vector<std::vector<Op*>> GroupMarks(const HloProgram& program);

// Members whose shardings contradict each other get each a fully open constraint that takes over
// their uses and their place in the group.
void SeparateConflictingGroups(HloProgram* program);

// After propagation. InvalidArgument if a member inside a manual computation has one of its manual
// axes: an edge passes axes from outside to its group.
absl::Status CheckManualMembers(const HloProgram& program);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_PREPARE_GROUPS_H_
