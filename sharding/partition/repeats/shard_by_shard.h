// Element-wise instructions whose operands and result lie alike: half of a network. Nothing moves,
// so that there is nothing to visit: one node, like the last one of the same kind. The same of slices
// that take all of what is cut, as those of weights that are stacked layer upon layer.
//
//   ShardByShard shards(module, input, lists, graph, states, values);
//   shards.Handles(add, kind);        // its value is set
//
// Cost: some machine instructions an operand. Tested by repeats_test.cc: with and without, the
// answers are the same.

#ifndef TESSERA_SHARDING_PARTITION_REPEATS_SHARD_BY_SHARD_H_
#define TESSERA_SHARDING_PARTITION_REPEATS_SHARD_BY_SHARD_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/input.h"
#include "tessera/sharding/partition/reshard/node_states.h"
#include "tessera/sharding/partition/values.h"

namespace tessera::sharding::partition {

class ShardByShard {
 public:
  // All of them must outlive this.
  ShardByShard(const hlo::Module& module, const Input& input, const LeafLists& lists, Graph& graph,
               NodeStates& states, Values& values)
      : module_(module),
        input_(input),
        lists_(lists),
        graph_(graph),
        states_(states),
        values_(values),
        last_(input.kinds().size()) {}

  // Of an element-wise kind, or of slices. False: it lies otherwise, and nothing was done.
  bool Handles(hlo::InstructionId id, Kinds::Id kind);

 private:
  // The shard of a kind that was made last; without a shape: none yet.
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
  NodeStates& states_;
  Values& values_;
  std::vector<Last> last_;  // by kind
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_REPEATS_SHARD_BY_SHARD_H_
