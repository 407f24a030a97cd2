#include "tessera/sharding/factors/rule_table.h"

#include <utility>

namespace tessera::sharding::factors {

RuleId RuleTable::Intern(OpShardingRule rule) {
  if (auto it = ids_.find(&rule); it != ids_.end()) return it->second;
  rules_.push_back(std::move(rule));
  const RuleId id = size() - 1;
  ids_.emplace(&rules_.back(), id);
  return id;
}

}  // namespace tessera::sharding::factors
