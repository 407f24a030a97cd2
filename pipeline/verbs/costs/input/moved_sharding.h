// The sharding after collectives.
//
//   // P('x', 'y'), all-gather over x
//   MovedSharding(from, mesh, {gather});     // P(None, 'y')
//
// An all-gather takes its axes off, wherever they are; an all-to-all takes them to the dimension that
// it splits; a permute leaves every dimension its axes, on other devices. Further cuts send nothing
// and are not known here.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_INPUT_MOVED_SHARDING_H_
#define TESSERA_PIPELINE_VERBS_COSTS_INPUT_MOVED_SHARDING_H_

#include <optional>
#include <vector>

#include "tessera/layout/shape.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::pipeline {

// Nothing where the axes of a collective cannot be said, or do not stand in the sharding.
std::optional<sharding::TensorSharding> MovedSharding(
    sharding::TensorSharding from, const sharding::Mesh& mesh,
    const std::vector<CollectiveLine>& collectives);

// The sharding in front of all-gathers and all-to-alls of a value of shape `whole` that made this one:
//   // P(None, 'y'), all-gather over x along dimension 0
//   BeforeMoves(to, whole, mesh, {gather});       // P('x', 'y')
// Nothing for other collectives, where the axes of one cannot be said, and where two dimensions
// might be the one that an all-to-all joins.
std::optional<sharding::TensorSharding> BeforeMoves(sharding::TensorSharding to,
                                                    const layout::Shape& whole,
                                                    const sharding::Mesh& mesh,
                                                    const std::vector<CollectiveLine>& collectives);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_INPUT_MOVED_SHARDING_H_
