// Tensors for which a constraint might be worth a line of the program, in groups of those that look alike.
//
//   NewConstraintGroups(*costs.InputOf(variant), read, costs.InShardMaps(variant), 8)
//     // what add in model.py:57 makes, and jax.checkpoint again: ^(add\.15|add\.34)$
//
// They are the operands and results around the collectives of the partitioner that send most, and the largest arrays
// at the peak of memory. One line, operation and shape is a group. Arguments, results, constraints and what lies in a
// shard_map are left out. So are tensors without a line, or that are not in the module that was read: a line of the
// program makes those otherwise. Cost: the module is partitioned once. Tested by new_constraints_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_NEW_CONSTRAINTS_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_NEW_CONSTRAINTS_H_

#include <cstddef>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/search/suggest/search_group.h"
#include "tessera/pipeline/verbs/search/variants/variant_key.h"

namespace tessera::pipeline {

// At most `most`, the dearest first. None where the partitioner refuses the module. `read` is as it was parsed.
std::vector<SearchGroup> NewConstraintGroups(const PartitionerInput& input, const hlo::Module& read,
                                             const ComputationSet& in_shard_map, size_t most);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_NEW_CONSTRAINTS_H_
