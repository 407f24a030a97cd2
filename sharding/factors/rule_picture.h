// A rule as a table for a terminal: a row for each factor, a column for each tensor.
//
//   RulePicture(rule, {"x", "w", "h"})      // ([i, k], [k, j])->([i, j]) {i=16, j=64, k=32}
//
//   factor  size  kind       x      w      h
//   i       16               dim 0         dim 0
//   j       64                      dim 1  dim 1
//   k       32    reduction  dim 1  dim 0
//
// A dimension of several factors says which part each is, major to minor: `dim 0 (1 of 2)`. An axis
// travels along a row. Tested by rule_text_test.cc.

#ifndef TESSERA_SHARDING_FACTORS_RULE_PICTURE_H_
#define TESSERA_SHARDING_FACTORS_RULE_PICTURE_H_

#include <string>
#include <vector>

#include "tessera/sharding/factors/rule.h"

namespace tessera::sharding::factors {

// `names` of all tensors, operands first.
std::string RulePicture(const OpShardingRule& rule, const std::vector<std::string>& names);

}  // namespace tessera::sharding::factors

#endif  // TESSERA_SHARDING_FACTORS_RULE_PICTURE_H_
