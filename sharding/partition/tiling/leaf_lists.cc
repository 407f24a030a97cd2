#include "tessera/sharding/partition/tiling/leaf_lists.h"

namespace tessera::sharding::partition {

LeafLists::Id LeafLists::FirstAsV1(Id id) {
  if (lists_[id].leaves.empty() || !lists_[id].leaves.front().IsNamed()) return id;
  if (lists_[id].first_in_tiles == kEmpty) {
    Leaves leaves = lists_[id].leaves;
    leaves.front() = leaves.front().AsV1();
    const Id added = Add(std::move(leaves));
    lists_[id].first_in_tiles = added;
  }
  return lists_[id].first_in_tiles;
}

LeafLists::Id LeafLists::AddAlone(Id id, size_t leaf) {
  const Tiling& tiling = lists_[id].leaves[leaf];
  const auto known = single_.find(tiling.identity());
  const Id found = known != single_.end() ? known->second : Add({tiling});
  std::vector<Id>& alone = lists_[id].alone;
  alone.resize(lists_[id].leaves.size(), kEmpty);
  alone[leaf] = found;
  return found;
}

}  // namespace tessera::sharding::partition
