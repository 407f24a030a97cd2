// Calls of functions, made transparent: a function that is called twice is copied, then each call
// becomes a named computation, a region that holds the callee's body.
//
//   y = call(x), to_apply=f     ->     y = named "f" (x) { (a) e = edge(a); ...; yield r }; edge(y)

#ifndef TESSERA_SHARDING_PASSES_PREPARE_CALLS_H_
#define TESSERA_SHARDING_PASSES_PREPARE_CALLS_H_

#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

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

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_PREPARE_CALLS_H_
