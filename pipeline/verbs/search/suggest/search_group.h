// Tensors of a program that want the same sharding: what a search moves as one.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_SEARCH_GROUP_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_SEARCH_GROUP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/sharding/pspec.h"

namespace tessera::pipeline {

struct SearchGroup {
  std::string pattern;        // of --annotate, which matches these tensors and no others
  std::vector<int64_t> dims;  // of tensors of several shapes what divides all of them
  int64_t count = 0;          // tensors
  int64_t bytes = 0;          // of all of them, whole
  bool is_batch = false;      // integers among the arguments
  // Of arguments, the path of the first one without each of its keys in turn, numbers as \d+ (parameter_groups.h).
  std::vector<std::string> relatives = {};

  // Constraints (constraint_groups.h), no arguments.
  bool is_constraint = false;
  std::vector<std::string> lines = {};  // of the program that lead to them, the innermost first
  sharding::PartitionSpec own = {};     // what they say
  // Of tensors without a constraint, which might get one (new_constraints.h): what makes them, "dot_general". Else "".
  std::string made_by = "";

  bool is_new() const { return !made_by.empty(); }
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_SEARCH_GROUP_H_
