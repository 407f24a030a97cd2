// One instruction as its partitioner sees it, and the steps that most partitioners take.
//
//   absl::StatusOr<NodeId> PartitionTranspose(Visit& v) {
//     if (v.tiling().IsMaximal()) return Default(v);
//     ...
//     return v.graph().Transpose(v.shard_shape(), operand.node, order);
//   }
//
// The partitioner of an opcode returns the node of the result, sharded as `leaves` say. Errors are
// inputs that XLA refuses or that are not described; the caller adds the place. XLA:
// SpmdPartitioningVisitor, GetPartitionedHlo, SetPartitionedHlo, DefaultAction, HandleElementwise.

#ifndef TESSERA_SHARDING_PARTITION_OPS_VISIT_H_
#define TESSERA_SHARDING_PARTITION_OPS_VISIT_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/reshard/reshard.h"
#include "tessera/sharding/partition/reshard/scope.h"
#include "tessera/sharding/partition/tiling/tiling.h"

namespace tessera::sharding::partition {

// The result of an instruction: arrays and tuples of them, leaves in order.
struct PartitionedLeaves {
  NodeId node = -1;
  const Shape* base = nullptr;
  std::vector<Tiling> leaves;
  DeviceGroupScope* scope = nullptr;
};

// Facts about other instructions of the module: users, callers, copies. Computed at the first
// question and cached: few modules need them, and those often.
class ModuleView {
 public:
  explicit ModuleView(const hlo::Module& module) : module_(module) {}
  ModuleView(const ModuleView&) = delete;
  ModuleView& operator=(const ModuleView&) = delete;

  const hlo::Module& module() const { return module_; }
  absl::Span<const hlo::InstructionId> users(hlo::InstructionId id) const;
  // The calls of a computation: while, conditional, call.
  absl::Span<const hlo::InstructionId> callers(hlo::ComputationId id) const;
  // The first instruction that is no copy: `id`, or the origin of its chain of copies. All
  // questions about a chain together cost its length.
  hlo::InstructionId SkipCopies(hlo::InstructionId id) const;
  // Answers that iota_index.cc has given: the dimension along which indices count; -1: none.
  absl::flat_hash_map<hlo::InstructionId, int64_t>& iota_dims() const { return iota_dims_; }

 private:
  template <typename Each>
  void ForEachUse(const Each& each) const;
  void FindUsers() const;

  const hlo::Module& module_;
  mutable std::vector<hlo::InstructionId> users_;  // those of one instruction after the other
  mutable std::vector<uint32_t> users_end_;        // in them, by id; empty: not found yet
  mutable std::vector<std::vector<hlo::InstructionId>> callers_;                       // by id
  mutable absl::flat_hash_map<hlo::InstructionId, hlo::InstructionId> skipped_copies_;  // of copies
  mutable absl::flat_hash_map<hlo::InstructionId, int64_t> iota_dims_;
};

struct Visit {
  // How an instruction lies as the module says it: the first leaf.
  using ShardingOf = std::function<Tiling(hlo::InstructionId)>;

  const ModuleView* view = nullptr;
  hlo::InstructionId id = hlo::kNoId;
  const Shape* base = nullptr;
  std::vector<Tiling> leaves;  // of the result
  std::vector<PartitionedLeaves> operands;
  DeviceGroupScope* scope = nullptr;
  bool unreduced = false;
  const ShardingOf* sharding_of = nullptr;  // of other instructions

  const hlo::Module& module() const { return view->module(); }
  Graph& graph() const { return scope->graph(); }
  hlo::Opcode opcode() const { return module().instruction(id).opcode; }
  // Of a result that is an array, or whose leaves all have the same tiling.
  const Tiling& tiling() const { return leaves.front(); }
  // Every leaf on one and the same device.
  bool OnOneDevice() const;
  // All leaves have the same tiling.
  bool LeavesAgree() const;
  Shape shard_shape() const;
  PartitionedHlo operand(size_t i) const;
  PartitionedHlo Result(NodeId node, const Tiling& tiling) const;
  // The node of an array resharded to the tiling of the result.
  NodeId Resharded(NodeId node, const Tiling& tiling) const;
};

int64_t CountLeaves(const Shape& shape);
// Where the leaves of each element begin, the end of the last one included.
std::vector<int64_t> LeafOffsets(const Shape& tuple);
// Shards of every leaf.
Shape ShardShapes(const Shape& shape, absl::Span<const Tiling> leaves);
// All leaves of `shape` with the same tiling.
std::vector<Tiling> Uniform(const Shape& shape, const Tiling& tiling);
// The leaves of element `index` of a tuple.
std::vector<Tiling> LeavesOf(const Shape& tuple, int64_t index, absl::Span<const Tiling> leaves);
// The node of an array or tuple with every leaf resharded.
NodeId ReshardLeaves(const PartitionedLeaves& value, const std::vector<Tiling>& target);

// Replicates the operands, runs the operation on every device, and slices the result.
absl::StatusOr<NodeId> Default(Visit& v);
// Runs on the shards, with all operands sharded like the result.
absl::StatusOr<NodeId> PartitionElementwise(Visit& v);

// A collective of the user with its own groups.
CollectiveForm GivenForm(Visit& v, hlo::InstructionId id);
// The instruction itself on other operands; a user's collective keeps its form.
NodeId Clone(Visit& v, Shape shape, absl::Span<const NodeId> operands,
             RecipeId recipe = Recipes::kAsWritten);
// A recipe::AsWritten with one attribute of another value.
RecipeId AsWrittenBut(Graph& graph, hlo::AttributeName name, std::string value);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_OPS_VISIT_H_
