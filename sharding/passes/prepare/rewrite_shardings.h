// One change to every sharding of a program: slots of values and results of functions.
//
//   RewriteShardings(program, [&](const TensorSharding& s) { return RemoveSizeOneAxes(s, mesh); });

#ifndef TESSERA_SHARDING_PASSES_PREPARE_REWRITE_SHARDINGS_H_
#define TESSERA_SHARDING_PASSES_PREPARE_REWRITE_SHARDINGS_H_

#include <functional>

#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::passes {

// Calls `visit` for each slot that holds a sharding, in order of the program: of a function its
// parameters, results, then ops; of an op the arguments of its blocks, its results, the ops inside.
void ForEachSharding(HloProgram* program, const std::function<void(ShardingId&)>& visit);

// Asks for each distinct sharding once.
void RewriteShardings(HloProgram* program,
                      const std::function<TensorSharding(const TensorSharding&)>& rewrite);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_PREPARE_REWRITE_SHARDINGS_H_
