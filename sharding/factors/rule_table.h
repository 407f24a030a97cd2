// File: rule_table.h
//
// RuleTable gives equal rules one small number, so that a module with a million ops holds a few
// thousand rules and compares them in one instruction.
//
//   RuleTable table;
//   RuleId a = table.Intern(rule);
//   RuleId b = table.Intern(same_rule);   // a == b
//   const OpShardingRule& r = table[a];   // stays valid and in place as long as the table lives
//
// Ids are dense and given in order of first appearance. kNoRule stands for "this op has no rule".

#ifndef TESSERA_SHARDING_FACTORS_RULE_TABLE_H_
#define TESSERA_SHARDING_FACTORS_RULE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <deque>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "tessera/sharding/factors/rule.h"

namespace tessera::sharding::factors {

using RuleId = int32_t;
inline constexpr RuleId kNoRule = -1;

class RuleTable {
 public:
  RuleTable() = default;
  RuleTable(const RuleTable&) = delete;
  RuleTable& operator=(const RuleTable&) = delete;
  RuleTable(RuleTable&&) = default;
  RuleTable& operator=(RuleTable&&) = default;

  // The id of `rule`, new if no equal rule was seen before. Expected time: linear in the rule.
  RuleId Intern(OpShardingRule rule);

  const OpShardingRule& operator[](RuleId id) const { return rules_[id]; }
  int size() const { return static_cast<int>(rules_.size()); }

 private:
  struct Hash {
    size_t operator()(const OpShardingRule* r) const { return absl::Hash<OpShardingRule>()(*r); }
  };
  struct Equal {
    bool operator()(const OpShardingRule* a, const OpShardingRule* b) const { return *a == *b; }
  };

  std::deque<OpShardingRule> rules_;  // a deque never moves its elements
  absl::flat_hash_map<const OpShardingRule*, RuleId, Hash, Equal> ids_;
};

}  // namespace tessera::sharding::factors

#endif  // TESSERA_SHARDING_FACTORS_RULE_TABLE_H_
