#include "tessera/sharding/partition/tiling/leaf_lists.h"

namespace tessera::sharding::partition {

LeafLists::Id LeafLists::FirstInTiles(Id id) {
  if (lists_[id].leaves.empty() || !lists_[id].leaves.front().IsNamed()) return id;
  if (lists_[id].first_in_tiles == kEmpty) {
    Leaves leaves = lists_[id].leaves;
    leaves.front() = leaves.front().InTiles();
    const Id added = Add(std::move(leaves));
    lists_[id].first_in_tiles = added;
  }
  return lists_[id].first_in_tiles;
}

}  // namespace tessera::sharding::partition
