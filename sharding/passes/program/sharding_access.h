// Reading and writing the sharding of a value, where the slot is not the effective sharding.
//
//   Value* owner = ShardingOwnerOf(value);              // the edge that serves it, or itself
//   ShardingId s = owner->sharding();
//   WriteSharding(program, value, id);          // slot, with the rule for several results
//   ShardingId local = LocalSharding(program, arg);     // as the body of a shard_map sees it
//
// Three cases beside the plain one:
//
//   several results   ops keep one list for all results. Writing the first entry makes the others
//                     fully open, and from then on they HAVE a sharding
//   data-flow edges   the results of a loop, its region arguments, the results of a case, .. share
//                     one owner: the slot of the edge's result. Found only while the owner has one
//                     use and that is the edge
//   manual blocks     a slot holds the sharding as seen from outside; the body sees it without the
//                     manual axes

#ifndef TESSERA_SHARDING_PASSES_PROGRAM_SHARDING_ACCESS_H_
#define TESSERA_SHARDING_PASSES_PROGRAM_SHARDING_ACCESS_H_

#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::passes {

// The owner of the edge that `value` is a target of. Results of while, case, barrier, call, named
// and manual computation own it themselves. So do the arguments of named and manual computations
// and of functions. Region arguments of a while have its result as owner, any other value has none
// (null).
Value* EdgeOwnerOf(const Value* value);
// The result of the edge that serves `value`; `value` itself without an edge. An edge's own result
// is at owner.
Value* ShardingOwnerOf(Value* value);

// Sets the slot of `value`. When it is one of several results and none of them has a sharding, the
// others become fully open on the same mesh.
void WriteSharding(HloProgram& program, Value* value, ShardingId sharding);

// 0 for a value that is no array.
inline int RankOf(const Value* value) { return value->is_array() ? value->rank() : 0; }

// False for most modules: no sharding in the program's table has unreduced axes.
bool AnyUnreduced(const HloProgram& program);

// The sharding of `value` for its readers, once edges are gone. An argument of a loop has that of
// the loop's result, one of a manual computation the local part of its in-sharding.
ShardingId EffectiveSharding(HloProgram& program, const Value* value);
// How the body of a manual computation sees its argument; kNoSharding if it has none.
ShardingId LocalSharding(HloProgram& program, const Value* arg);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_PROGRAM_SHARDING_ACCESS_H_
