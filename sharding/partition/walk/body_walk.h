// Walks a module body by body, operands first, and partitions each instruction.
//
//   Graph graph(behaviors);
//   Bodies bodies;
//   absl::Status status =
//       BodyWalk(view, std::move(input), lists, tuple_leaves, Visits::kRepeated, &graph, &bodies).Run();
//
// What only the visits need is freed with the walk; nodes, forms, recipes and bodies stay. Every instruction gets one node. A repeated instruction is replayed from the cache
// (body_walk.cc), others are visited (visits.cc). Loops, branches and calls partition their
// computations when they are reached, once for equal shardings of the arguments (calls.cc).
// report.cc finds the live collectives. XLA: SpmdPartitioningVisitor::DoPartition. Linear in the
// instructions of all bodies. Tested by partitioner_test.cc and visit_cache_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_WALK_BODY_WALK_H_
#define TESSERA_SHARDING_PARTITION_WALK_BODY_WALK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/order.h"
#include "tessera/sharding/partition/bodies.h"
#include "tessera/sharding/partition/input.h"
#include "tessera/sharding/partition/ops/visit.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/sharding/partition/repeats/shard_by_shard.h"
#include "tessera/sharding/partition/repeats/visit_cache.h"
#include "tessera/sharding/partition/reshard/graph.h"
#include "tessera/sharding/partition/reshard/scope.h"
#include "tessera/sharding/partition/tiling/leaf_lists.h"
#include "tessera/sharding/partition/tuple_leaves.h"
#include "tessera/sharding/partition/values.h"
#include "tessera/sharding/reference/behaviors.h"

namespace tessera::sharding::partition {

class BodyWalk {
 public:
  // `view`, `lists` and `tuple_leaves` belong to the input, `graph` and `bodies` to the result; they
  // must outlive this object.
  BodyWalk(const ModuleView& view, Input input, LeafLists& lists, TupleLeaves& tuple_leaves,
           Visits visits, Graph* graph, Bodies* bodies);

  // Once.
  absl::Status Run();

 private:
  // The body of a step, and the parameters of its key.
  struct Frame {
    int32_t body = 0;
    DeviceGroupScope* scope = nullptr;  // all devices, in the body
    const BodyKey::Parameters& parameters;
    // The predicate of a loop is replicated, whatever its sharding.
    hlo::InstructionId predicate = hlo::kNoId;
    LeafLists::Id predicate_leaves = LeafLists::kEmpty;
  };

  // The visited instruction and the values of its operands.
  struct Visited {
    hlo::InstructionId id = hlo::kNoId;
    LeafLists::Id leaves = LeafLists::kEmpty;
    absl::Span<const hlo::InstructionId> operand_ids;
    absl::InlinedVector<ValueState, 4> operands;
  };

  // --- Walking (body_walk.cc) ----------------------------------------------------------------
  absl::StatusOr<int32_t> MakeBody(const BodyKey& key, hlo::InstructionId caller, int32_t parent);
  absl::Status CheckResult(const BodyKey& known, const BodyKey& key) const;
  bool MayRepeat(hlo::InstructionId id) const;
  bool DoesAgain(const Frame& frame, hlo::InstructionId id);
  void FinishBody(const Frame& frame, const BodyKey& key);
  void SetPredicate(hlo::InstructionId id, Frame& frame);
  PartitionedLeaves LeavesOfOperand(const Frame& frame, hlo::InstructionId id,
                                    const ValueState& value) const;
  LeafLists::Id LeavesOf(const Frame& frame, hlo::InstructionId id) const;

  // --- Visits (visits.cc) --------------------------------------------------------------------
  absl::Status VisitOne(const Frame& frame, hlo::InstructionId id);
  absl::StatusOr<NodeId> Partition(const Frame& frame, const Visited& visited);
  absl::Span<const Tiling> LeavesOfElement(hlo::ShapeId tuple, LeafLists::Id leaves, int64_t index);
  std::optional<NodeId> Tuple(const Visited& visited);
  absl::StatusOr<NodeId> Element(const Frame& frame, const Visited& visited);
  absl::StatusOr<NodeId> PartitionAfresh(const Frame& frame, const Visited& visited);
  Visit VisitOf(const Frame& frame, const Visited& visited) const;
  absl::StatusOr<NodeId> PartitionVisit(const Frame& frame, const Visited& visited, Visit& v);
  absl::StatusOr<NodeId> Dispatch(const Frame& frame, const Visited& visited, Visit& v);

  // --- Calls (calls.cc) ----------------------------------------------------------------------
  const Shape* ShardOf(const Visited& visited, const Visit& v);
  NodeId CallNode(const Frame& frame, const Visited& visited, Visit& v,
                  absl::Span<const NodeId> operands, CallSite::Bodies bodies);
  absl::StatusOr<NodeId> PartitionWhile(const Frame& frame, const Visited& visited, Visit& v);
  absl::StatusOr<NodeId> PartitionConditional(const Frame& frame, const Visited& visited, Visit& v);
  absl::StatusOr<NodeId> PartitionCall(const Frame& frame, const Visited& visited, Visit& v);

  const hlo::Module& module_;
  const ModuleView& view_;
  hlo::PostOrderWalk walk_;
  const Input input_;
  LeafLists& lists_;
  TupleLeaves& tuple_leaves_;
  Graph& graph_;
  Values values_;
  VisitCache visit_cache_;
  ShardByShard shards_;
  const Visits visits_;
  const Visit::ShardingOf sharding_of_;
  Bodies& bodies_;
  std::vector<std::unique_ptr<DeviceGroupScope>> scopes_;
  // By shape and leaves.
  absl::flat_hash_map<uint64_t, const Shape*> shards_of_;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_WALK_BODY_WALK_H_
