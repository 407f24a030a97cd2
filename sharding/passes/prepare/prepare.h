// Shardy's passes on a program in front of propagation, each in a source of its own.
//
//   RemoveSizeOneAxes(program.get());    // [{"a", "b"}] on mesh ["a"=1, "b"=2]   ->   [{"b"}]

#ifndef TESSERA_SHARDING_PASSES_PREPARE_PREPARE_H_
#define TESSERA_SHARDING_PASSES_PREPARE_PREPARE_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

void ReserveManualAxes(HloProgram* program);

// The error, at the place where the sharding was written.
using LocateError = std::function<absl::Status(ShardingId, const absl::Status&)>;

// InvalidArgument (text::ErrorAt) where a manual axis, or a sub-axis, has no counterpart in the
// main mesh.
absl::Status MergeMeshes(HloProgram* program, const LocateError& locate);

// A closed dimension that becomes empty loses its priority.
void RemoveSizeOneAxes(HloProgram* program);

// A call without shardings takes those of its callee's results, if any is on a mesh of more than
// one device; missing ones become fully open.
void TakeCalleeResultShardings(HloProgram* program);

// A function of its own for each call.
void SeparateCallees(HloProgram* program);

// Adds edges for the results of calls and the parameters of callees, and removes them again; the
// shardings stay in the place of the edges. In between, constraints see the same edges as in
// inlined calls.
void AddCallEdges(HloProgram* program);
void SinkCallEdges(HloProgram* program);

// Inlines all calls, each of a function of its own, as named computations with their edges. Only
// the entry is left.
void InlineCalls(HloProgram* program);

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

// Some 2 GB of copies; programs need thousands.
inline constexpr int64_t kMaxConstantCopies = 4'000'000;

// InvalidArgument (text::ErrorAt) at the consumer with whose copies there are more than
// kMaxConstantCopies: a long chain of constants that many ops read.
absl::Status SplitConstants(HloProgram* program);
void ApplyConstraints(HloProgram* program);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_PREPARE_PREPARE_H_
