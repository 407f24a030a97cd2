// Equal rules get one small number, so that a module with a million ops holds a few thousand rules
// and compares them in one instruction.
//
//   RuleTable table;
//   RuleId a = table.Intern(rule);
//   RuleId b = table.Intern(same_rule);   // a == b
//   table[a].num_factors();               // the reference is valid while the table lives

#ifndef TESSERA_SHARDING_FACTORS_RULE_TABLE_H_
#define TESSERA_SHARDING_FACTORS_RULE_TABLE_H_

#include <cstdint>

#include "tessera/sharding/factors/rule.h"
#include "tessera/text/interner.h"

namespace tessera::sharding::factors {

using RuleId = uint32_t;

// An op without a rule: nothing passes in any direction.
inline constexpr RuleId kNoRule = 0xffffffffu;

using RuleTable = text::Interner<OpShardingRule>;

}  // namespace tessera::sharding::factors

#endif  // TESSERA_SHARDING_FACTORS_RULE_TABLE_H_
