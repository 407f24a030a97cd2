// Data-flow edges: one op after each result of a loop, case or barrier (and each argument and
// result of a manual or named computation) that stands for its sharding during propagation.
//
//   r = while(x) {..}; f(r)    ->    r = while(x) {..}; e = edge(r); f(e)
//
// r and the loop's arguments share the sharding of e; x and the results of the body propagate into it
// (sharding/program/edges.h has the table).

#ifndef TESSERA_SHARDING_PASSES_PREPARE_EDGES_H_
#define TESSERA_SHARDING_PASSES_PREPARE_EDGES_H_

#include <vector>

#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// Edges for all data-flow ops of the program, ops inside before ops around. Values without a static
// shape get none.
void AddEdges(HloProgram* program);
// Edges for all results of one op, or all arguments of one block.
void AddEdgesTo(HloProgram* program, const std::vector<Value*>& owners);
// Edges for the arguments and results of one op with one block (kNamedComputation,
// kManualComputation).
void AddBoundaryEdges(HloProgram* program, Op* op);

// The edges of `owners` (all results, or all arguments, of one op) are replaced by their owners. If
// any of them has a sharding, each owner takes its edge's, and those without take the fully open
// one of the same mesh.
void SinkEdgesOf(HloProgram& program, const std::vector<Value*>& owners);

// All edges of the program.
void SinkEdges(HloProgram& program);

// Results of an op, arguments of a block, as a list.
std::vector<Value*> ResultsOf(const Op* op);
std::vector<Value*> ArgsOf(const Block* block);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_PREPARE_EDGES_H_
