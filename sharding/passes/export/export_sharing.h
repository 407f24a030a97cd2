// The shardings at the border of a function, for those that compare or call it. Internal to the
// package.

#ifndef TESSERA_SHARDING_PASSES_EXPORT_EXPORT_SHARING_H_
#define TESSERA_SHARDING_PASSES_EXPORT_EXPORT_SHARING_H_

#include <vector>

#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// All shardings, missing ones filled in as fully open; none if all are missing.
std::vector<ShardingId> ParameterShardings(HloProgram& program, const Function* f);
std::vector<ShardingId> ResultShardings(HloProgram& program, const Function* f);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_EXPORT_EXPORT_SHARING_H_
