// NumberedProgram: the main function of a program, with a number for each op and value.
//
//   NumberedProgram numbered(&program, traits_of);
//   for (ValueId v : numbered.tensors(op)) numbered.rank(v);    // operands, then results
//   numbered.value(v).sharding();       // everything else is in the program
//
// Ops are numbered in pre-order: 0 is the header of the function, then an op, the ops of its first
// block, of its second block, .., the next op. The sweep visits them in this order. Values: the arguments of a block before its ops, the results of an op before its blocks.
// An op and a value have their numbers (Op::number, Value::number()) until another pass reuses the
// fields.
//
// Shapes, uses and shardings stay in the program. Stored here by number are the facts that steps read
// often, and that an explanation needs after later passes have changed the program: tensors of ops,
// defining ops of values, edges, groups.
//
// Preconditions
//   * Calls have been made transparent, data-flow edges added (OpKind::kDataFlowEdge), groups
//     merged and numbered from 0 (OpKind::kShardingGroup), and those whose members disagree
//     separated.
//   * The use lists are in the order that decides rare conflicts (program/value.h).
//   * It does not change until propagation has ended.

#ifndef TESSERA_SHARDING_PROPAGATION_NUMBERED_PROGRAM_H_
#define TESSERA_SHARDING_PROPAGATION_NUMBERED_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/factors/rule_table.h"
#include "tessera/sharding/op_traits.h"
#include "tessera/sharding/program/op.h"
#include "tessera/sharding/program/program.h"
#include "tessera/sharding/program/value.h"
#include "tessera/sharding/propagation/step/direction.h"
#include "tessera/sharding/sharding_table.h"

namespace tessera::sharding::propagation {

using ValueId = int32_t;
using OpId = int32_t;
using EdgeId = int32_t;
using GroupId = int32_t;
using RuleId = factors::RuleId;

inline constexpr int32_t kNone = -1;  // no value, op, edge, group

using program::OpKind;
using sharding::OpPriorityClass;

// Traits of an op, from the language of the program.
using TraitsSource = std::function<OpTraits(const program::Op&)>;

// The view in which the edge of a manual computation is stepped.
enum class ManualView : uint8_t {
  kNone,   // not an edge of a manual computation
  kOuter,  // block-argument edge: the manual part of the in-sharding is added in front
  kInner,  // result edge: the manual part is removed
};

// One data-flow edge: `result` carries the sharding of the owner and of all other targets, which
// program/edges.h lists.
struct EdgeSpec {
  ValueId owner = kNone;
  ValueId result = kNone;
  std::vector<ValueId> sources;
  std::vector<ValueId> other_targets;
  ManualView view = ManualView::kNone;
  ShardingId boundary = kNoSharding;  // in- or out-sharding k of the manual computation
  std::vector<int> manual_axes;       // axis numbers in the mesh of `boundary`
};

// A value that the main function returns, with the sharding attribute of that result.
struct Output {
  ValueId value = kNone;
  ShardingId sharding = kNoSharding;
};

class NumberedProgram {
 public:
  // The program must outlive this object. Linear in ops and operands.
  NumberedProgram(program::Program* program, const TraitsSource& traits_of);

  int num_values() const { return static_cast<int>(values_.size()); }
  int num_ops() const { return static_cast<int>(ops_.size()); }

  // --- values
  program::Value& value(ValueId v) const { return *values_[v]; }
  const std::vector<program::Value*>& values() const { return values_; }
  // False for a token, or anything else without a static shape.
  bool has_shape(ValueId v) const {
    return values_[v]->is_array() && !values_[v]->shape().has_dynamic_dim();
  }
  absl::Span<const int64_t> dims(ValueId v) const { return values_[v]->shape().dims(); }
  int rank(ValueId v) const { return has_shape(v) ? values_[v]->rank() : 0; }
  // The value whose slot holds the sharding of `v`: its edge if it is the target of one.
  ValueId sharding_owner(ValueId v) const { return owner_[v]; }
  // The defining op; for a block argument the op that owns the block.
  OpId def(ValueId v) const { return def_[v]; }
  bool is_block_argument(ValueId v) const { return values_[v]->def() == nullptr; }
  // The group that a write to `v` updates; kNone for a member whose sharding an edge holds.
  GroupId group(ValueId v) const { return group_.empty() ? kNone : group_[v]; }

  // --- ops
  // Null for the header of the function.
  program::Op* op(OpId o) const { return ops_[o]; }
  const std::vector<program::Op*>& ops() const { return ops_; }
  // The kind at numbering time; the function header reports kCall (ignored by propagation).
  OpKind kind(OpId o) const { return facts_[o].kind; }
  const OpTraits& traits(OpId o) const { return facts_[o].traits; }
  // Operands, then results.
  absl::Span<const ValueId> tensors(OpId o) const {
    return {tensors_.data() + begin_[o], static_cast<size_t>(begin_[o + 1] - begin_[o])};
  }
  absl::Span<const ValueId> all_tensors() const { return tensors_; }
  absl::Span<const ValueId> operands(OpId o) const {
    return tensors(o).subspan(0, tensors(o).size() - num_results(o));
  }
  absl::Span<const ValueId> results(OpId o) const {
    return tensors(o).subspan(tensors(o).size() - num_results(o));
  }
  // First op after the blocks of `o`, while the program is unchanged.
  OpId end_of(OpId o) const;
  // Without users, the op is removable: no side effect, and no block that could have one.
  bool is_removable(OpId o) const {
    const program::Op* const op = ops_[o];
    return op != nullptr && op->pure && op->blocks().empty() && op->num_results() > 0;
  }
  // Of a propagation barrier.
  Direction barrier(OpId o) const { return static_cast<Direction>(ops_[o]->attribute); }
  EdgeId edge(OpId o) const { return edge_of_op_.empty() ? kNone : edge_of_op_[o]; }

  // --- tables
  absl::Span<const EdgeSpec> edges() const { return edges_; }
  // Members in the order of their marks; an edge's result stands for a member that the edge holds.
  absl::Span<const std::vector<ValueId>> groups() const { return groups_; }
  absl::Span<const Output> outputs() const { return outputs_; }

  // --- faults
  // The first op that reads a value without an earlier definition; kNone in a valid program.
  OpId lost_reader() const { return lost_reader_; }
  // Results with a dynamic shape, which propagation ignores.
  absl::Span<const ValueId> dynamic_results() const { return dynamic_results_; }

 private:
  struct OpFacts {
    OpKind kind = OpKind::kCall;
    OpTraits traits;
  };

  size_t num_results(OpId o) const { return ops_[o] == nullptr ? 0 : ops_[o]->results.size(); }
  void Reserve(const program::Program& program);
  void AddBlock(program::Block* block, OpId parent, const TraitsSource& traits_of);
  void AddOp(program::Op* op, const TraitsSource& traits_of);
  ValueId* RoomFor(size_t tensors);
  ValueId AddValue(program::Value* value, OpId def);
  ValueId NumberOf(const program::Value* value, OpId reader);
  void AddOutputs(const program::Function& function);
  void AddEdges();
  void AddEdge(const program::Op& op);
  void AddGroups();
  void JoinGroup(GroupId group, std::vector<ValueId>* members);

  std::vector<program::Op*> ops_;
  std::vector<OpFacts> facts_;        // by op
  std::vector<ValueId> tensors_;      // operands and results, op by op
  std::vector<int32_t> begin_ = {0};  // of an op's tensors
  std::vector<EdgeId> edge_of_op_;    // empty if there are no edges
  std::vector<program::Value*> values_;
  std::vector<OpId> def_;       // by value
  std::vector<ValueId> owner_;  // by value
  std::vector<GroupId> group_;  // by value; empty if there are no groups
  std::vector<EdgeSpec> edges_;
  std::vector<std::vector<ValueId>> groups_;
  std::vector<Output> outputs_;
  OpId lost_reader_ = kNone;
  std::vector<ValueId> dynamic_results_;
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_NUMBERED_PROGRAM_H_
