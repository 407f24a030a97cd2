// Lists of tilings, one tiling for each tuple leaf; each list has a number.
//
//   LeafLists lists;
//   LeafLists::Id id = lists.Add({Tiling::Replicated()});
//   lists[id].front();              // replicated
//   lists.FirstAsV1(id) == id;      // its first tiling is in V1 form already
//   lists.Alone(id, 0) == id;       // it has one leaf
//
// A module has few distinct lists, so a number is passed instead of a list. Lists with different
// numbers may still be equal.

#ifndef TESSERA_SHARDING_PARTITION_TILING_LEAF_LISTS_H_
#define TESSERA_SHARDING_PARTITION_TILING_LEAF_LISTS_H_

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/sharding/partition/tiling/tiling.h"

namespace tessera::sharding::partition {

using Leaves = std::vector<Tiling>;

class LeafLists {
 public:
  using Id = uint32_t;
  // The list without leaves, of a value without a sharding.
  static constexpr Id kEmpty = 0;

  LeafLists() { Add({}); }

  Id Add(Leaves leaves) {
    const bool is_manual = !leaves.empty() && leaves.front().HasManual();
    const auto id = static_cast<Id>(lists_.size());
    if (leaves.size() == 1) single_.try_emplace(leaves.front().identity(), id);
    lists_.push_back({std::move(leaves), {}, kEmpty, is_manual});
    return id;
  }
  // Good for as long as the lists are.
  const Leaves& operator[](Id id) const { return lists_[id].leaves; }

  // The first leaf has a manual subgroup.
  bool FirstHasManual(Id id) const { return lists_[id].first_has_manual; }
  size_t size() const { return lists_.size(); }
  bool Equal(Id a, Id b) const { return a == b || lists_[a].leaves == lists_[b].leaves; }
  // The same with the first leaf in tile form, one and the same for the same list.
  Id FirstAsV1(Id id);
  // The list of that leaf alone; equal leaves share it.
  Id Alone(Id id, size_t leaf) {
    List& list = lists_[id];
    return list.alone.empty() || list.alone[leaf] == kEmpty ? AddAlone(id, leaf) : list.alone[leaf];
  }

 private:
  Id AddAlone(Id id, size_t leaf);

  struct List {
    Leaves leaves;
    std::vector<Id> alone;  // each; kEmpty: not yet asked for
    Id first_in_tiles;      // likewise
    bool first_has_manual;
  };
  std::deque<List> lists_;
  absl::flat_hash_map<Tiling::Identity, Id> single_;  // those of one leaf
};

// The list of every instruction, by its id.
class InstructionLeaves {
 public:
  InstructionLeaves() = default;
  InstructionLeaves(const LeafLists* lists, size_t instructions)
      : lists_(lists), ids_(instructions, LeafLists::kEmpty) {}

  const Leaves& operator[](size_t instruction) const { return (*lists_)[ids_[instruction]]; }
  LeafLists::Id id(size_t instruction) const { return ids_[instruction]; }
  void Set(size_t instruction, LeafLists::Id id) { ids_[instruction] = id; }

 private:
  const LeafLists* lists_ = nullptr;
  std::vector<LeafLists::Id> ids_;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_TILING_LEAF_LISTS_H_
