// Element-wise instructions whose operands and result have equal shardings: half of a network.
// Nothing moves, so no visit is needed: the node is a copy of the last one of the same class.
// Slices that take all of each sharded dimension are treated the same way (stacked weights, one
// layer a slice).
//
//   ShardByShard shards(module, input, lists, graph, states, values);
//   shards.Handles(add, class_id);      // true: its value is set
//
// Cost: some machine instructions for each operand. visit_cache_test.cc compares the answers with
// and without it.

#ifndef TESSERA_SHARDING_PARTITION_REPEATS_SHARD_BY_SHARD_H_
#define TESSERA_SHARDING_PARTITION_REPEATS_SHARD_BY_SHARD_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/input.h"
#include "tessera/sharding/partition/reshard/node_fingerprints.h"
#include "tessera/sharding/partition/values.h"

namespace tessera::sharding::partition {

class ShardByShard {
 public:
  // All of them must outlive this.
  ShardByShard(const hlo::Module& module, const Input& input, const LeafLists& lists, Graph& graph,
               NodeFingerprints& states, Values& values)
      : module_(module),
        input_(input),
        lists_(lists),
        graph_(graph),
        states_(states),
        values_(values),
        last_(input.classes().size()) {}

  // For an element-wise class, or a slice. False: shardings differ, and nothing was done.
  bool Handles(hlo::InstructionId id, InstructionClasses::Id class_id);

 private:
  // The shard of a class that was made last; without a shape: none yet.
  struct Last {
    Node shard;
    uint64_t all_dims = 0;  // a bit for each dimension of an array
    LeafLists::Id leaves = LeafLists::kEmpty;
    hlo::ShapeId shape = 0;
  };
  // False: in manual code.
  bool Learn(hlo::InstructionId id, Last& last);
  void Adapt(Last& last, uint64_t same_dims);
  std::optional<uint64_t> SameDimsOfSlice(hlo::InstructionId id, const Last& last);

  const hlo::Module& module_;
  const Input& input_;
  const LeafLists& lists_;
  Graph& graph_;
  NodeFingerprints& states_;
  Values& values_;
  std::vector<Last> last_;  // by class
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_REPEATS_SHARD_BY_SHARD_H_
