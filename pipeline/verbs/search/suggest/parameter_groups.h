// The arguments of a program in groups that want the same sharding.
//
//   ParameterGroups(module)
//     // state.params['params']['decoder']['mlp']['wi'], and its two moments in the optimizer's
//     // state, mu['decoder']['mlp']['wi'] and nu[..]:  \['decoder'\]\['mlp'\]\['wi'\]$
//     // layers[0]['w'], layers[1]['w']:                ^layers\[\d+\]\['w'\]$
//     // state['params'][..], state['m'][..], state['v'][..], trees of the same shapes:
//     //                                                \['w1'\]$
//     // data['inputs'], data['targets'], of one shape: ^data\b
//
//     // Arg_1.2 and Arg_7.8 of one shape:              ^(Arg_1\.2|Arg_7\.8)$
//
// A group is found by its pattern, which no argument of another shape matches; where none of the
// wider ones is such, all arguments of one shape are listed. Integers, which are batches of tokens,
// are one group for each name. Scalars are in none. Groups of one shape that share one of their relatives, the path but
// for a key, may move as one: cache['k'] and cache['v'] share `cache*`. Cost: arguments times different patterns. Tested by
// parameter_groups_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_PARAMETER_GROUPS_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_PARAMETER_GROUPS_H_

#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/pipeline/verbs/search/suggest/search_group.h"

namespace tessera::pipeline {

// Batches first, then by bytes.
std::vector<SearchGroup> ParameterGroups(const hlo::Module& module);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_PARAMETER_GROUPS_H_
