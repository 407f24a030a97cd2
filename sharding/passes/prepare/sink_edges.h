// Sinks data-flow edges: their shardings go to the values that they stood for.

#ifndef TESSERA_SHARDING_PASSES_PREPARE_SINK_EDGES_H_
#define TESSERA_SHARDING_PASSES_PREPARE_SINK_EDGES_H_

#include <vector>

#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

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

#endif  // TESSERA_SHARDING_PASSES_PREPARE_SINK_EDGES_H_
