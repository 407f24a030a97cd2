// The devices of a step: all of them, or the groups of an enclosing scope, with a cache of
// reshards.
//
//   DeviceGroupScope all(graph, 8);
//   DeviceGroupScope& group = all.PerGroup(devices);       // 2 groups of 4
//   group.AllReduce(x, {Opcode::kAdd});                    // in {0,1,2,3},{4,5,6,7}
//
// A scope caches every reshard, so a second reader with the same target gets the same collective
// (reshard_cache.h). Each list of groups has its own entries. XLA:
// PartitionedHlo::PartitioningState, CreatePerGroupPartitioningState.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_SCOPE_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_SCOPE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/reshard/graph.h"
#include "tessera/sharding/partition/tiling/algebra.h"
#include "tessera/sharding/partition/tiling/grouping.h"
#include "tessera/sharding/partition/tiling/tiling.h"

namespace tessera::sharding::partition {

class DeviceGroupScope;

// An array on the devices of a scope: the node of its shard, its unsharded shape, its tiling.
struct PartitionedHlo {
  NodeId node = -1;
  Shape base;
  Tiling tiling;
  DeviceGroupScope* scope = nullptr;
};

// The input of a windowed operation, resharded so that each device has the elements of its windows.
struct Windowed {
  NodeId input = -1;
  hlo::Window window;                       // left to do on the shard
  bool slice_output = false;                // the result must be cut by a dynamic slice
  std::vector<TableId> output_starts = {};  // where that begins, if recipes are kept
};

// The reduction of an all-reduce.
struct Reduction {
  Opcode opcode = Opcode::kAdd;
  bool is_written = false;  // in the reducer of the instruction that is visited
};

class DeviceGroupScope {
 public:
  using Pairs = std::vector<KnownDevices::Pair>;

  // All devices.
  DeviceGroupScope(Graph& graph, int64_t devices)
      : DeviceGroupScope(graph, devices, nullptr, ScopeNumbers::kWhole) {}

  // The scope of work inside these groups of this scope's devices; one and the same for equal ones.
  DeviceGroupScope& PerGroup(const DeviceGroups& groups);
  // A scope of the same devices without its cache, alive as long as this one.
  DeviceGroupScope& WithoutCache();
  // The same for the same groups of the same groups in every body (scope_numbers.h).
  int32_t number() const { return number_; }
  // The scope of that number around this one, inside the same body.
  DeviceGroupScope& Numbered(int32_t number);

  Graph& graph() const { return graph_; }
  // Devices of a group.
  int64_t devices() const { return devices_; }

  // The scope whose groups these are; null of all devices.
  const DeviceGroupScope* parent() const { return parent_; }
  // Of each device of the parent, its number in this scope.
  std::vector<int64_t> NumbersOfParent() const;
  // The table that a device finds that number by; `make` gives it, once.
  template <typename Make>
  TableId KnownId(const Make& make) const {
    if (id_ == kOwnId) id_ = make();
    return id_;
  }
  // Of each device of the module, its number in this scope.
  const std::vector<int64_t>& NumbersOfAllDevices() const;

  // --- Collectives, in device numbers of this scope -----------------------------------------------
  // Among all of them.
  NodeId AllReduce(NodeId operand, const Reduction& reduction);
  // One for each sharded dimension of `dims`, the last one first.
  NodeId AllReduceOver(NodeId operand, const Tiling& tiling, Ints dims, const Reduction& reduction);
  NodeId AllGatherOver(NodeId operand, const Tiling& tiling, Ints dims);
  // Among all of them.
  NodeId AllToAll(NodeId operand, int64_t split);
  // Among the devices that GroupsAcross names, dimension `split` of the shard.
  NodeId AllToAllAcross(NodeId operand, const Tiling& tiling, Ints dims, Ints sizes, int64_t split);
  // In device numbers of all devices.
  Pairs PairsOnAllDevices(Pairs pairs) const;
  NodeId Permute(NodeId operand, const Pairs& pairs);
  // From each tile of `from` to the same tile of `to`.
  NodeId PermuteTo(NodeId operand, const Tiling& from, const Tiling& to);
  // From every tile to the one `distance` places further along `dim`; backwards if it is negative.
  NodeId Shift(NodeId operand, const Tiling& tiling, int64_t dim, int64_t distance);

  // --- Remembered reshards ---
  // What the node was resharded to for this key.
  std::optional<PartitionedHlo> Reshared(NodeId node, const Tiling& target) const;
  void Remember(NodeId node, const Tiling& target, const PartitionedHlo& value);
  // The input that was made of the node for this window.
  std::optional<Windowed> InputOf(NodeId node, const Tiling& target,
                                  const hlo::Window& window) const;
  void RememberWindow(NodeId node, const Tiling& target, const hlo::Window& window,
                      const Windowed& made);
  // As one of the two above did.
  void Remember(NodeId node, const ReshardCache::Entry& entry);

  // What is remembered, as it happens.
  struct Line {
    NodeId node;
    ReshardCache::Entry entry;
  };
  // Of all scopes of this body, from now on; null: none.
  void KeepJournal(std::vector<Line>* journal) { root().journal_ = journal; }

 private:
  DeviceGroupScope(Graph& graph, int64_t devices, DeviceGroupScope* parent, int32_t number)
      : graph_(graph), devices_(devices), parent_(parent), number_(number) {}
  DeviceGroupScope& root();
  // Kinds of lists of devices; each depends on other things.
  enum class Of : uint64_t { kAll, kOver, kAcross, kPairs, kTiles, kShift };
  // The first words of the key of such a list.
  std::vector<uint64_t>& NewKey(Of kind) const;
  TileAssignment OnAllDevices(const TileAssignment& groups) const;
  GivenGroups::Groups AllAsGroup() const;
  GivenGroups::Groups GroupsOverDims(const Tiling& tiling, Ints dims) const;
  // As this release lists the groups of collectives.
  TileAssignment InOrder(const Tiling& tiling, const TileAssignment& groups) const;
  NodeId AllReduceIn(NodeId operand, const Reduction& reduction, GivenGroups::Groups groups);
  NodeId AllToAllIn(NodeId operand, GivenGroups::Groups groups, int64_t split);
  NodeId Permute(NodeId operand, const KnownDevices::Permutation& permutation);

  Graph& graph_;
  int64_t devices_;
  DeviceGroupScope* parent_;
  int32_t number_;
  DeviceGroups groups_;  // of the parent's devices; of no use without a parent
  bool is_whole_ = true;
  mutable std::vector<int64_t> numbers_;  // of all devices; empty: not asked yet
  mutable TableId id_ = kOwnId;           // of KnownId(); kOwnId: not asked yet
  absl::flat_hash_map<int32_t, std::unique_ptr<DeviceGroupScope>> children_;  // by number
  std::vector<std::unique_ptr<DeviceGroupScope>> uncached_;
  // --- Of the scope of all devices ---
  std::vector<DeviceGroupScope*> by_number_;
  std::vector<Line>* journal_ = nullptr;
};

// Of pred by `or`, else by `add`.
Reduction SumOf(const Shape& shape);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_SCOPE_H_
