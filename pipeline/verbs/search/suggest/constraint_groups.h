// The constraints of a program in groups that one line of it makes.
//
//   ConstraintGroups(module, costs.ConstraintsOn(base), 24)
//     // con(x) in model.py:57, and what jax.grad and jax.checkpoint made of it:
//     //   ^(sharding_constraint\.3|sharding_constraint\.9)$, {"model.py:17", "model.py:57"}
//
// A group has one rank and one spec: a helper of the user, which a loop calls with many, makes several groups. Constraints
// without a line are groups of their own. Cost: constraints times the frames of their lines; a look at all instructions
// for each group that is given. Tested by constraint_groups_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_CONSTRAINT_GROUPS_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_CONSTRAINT_GROUPS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"
#include "tessera/pipeline/verbs/search/suggest/search_group.h"
#include "tessera/sharding/pspec.h"

namespace tessera::pipeline {

// A constraint of the user and its spec.
struct ConstraintSaid {
  hlo::InstructionId instruction = hlo::kNoId;
  sharding::PartitionSpec spec;
};

// At most `most`, by bytes, the largest first. `constraints` are in ascending order.
std::vector<SearchGroup> ConstraintGroups(const hlo::Module& module,
                                          const std::vector<ConstraintSaid>& constraints,
                                          size_t most);

// A pattern that means these instructions, in ascending order, and no others; none where a name is also the op_name of
// something else.
std::optional<std::string> PatternOfThese(const hlo::Module& module,
                                          const std::vector<hlo::InstructionId>& ids);

// One more tensor of the group.
void AddTensor(const layout::Shape& shape, SearchGroup* group);

// The lines in the user's words, as many as tell the group from the others: "model.py:17 from model.py:57".
std::string PlaceText(const SearchGroup& group, const std::vector<SearchGroup>& all);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_CONSTRAINT_GROUPS_H_
