// File: program.h
//
// Program: the frozen, dense graph on which propagation runs. It knows no HLO: whoever has a graph
// of its own (HLO, or anything else with values, ops and regions) describes it here once.
//
//   for (ValueId x : program.results(op)) program.uses(x);
//
// It is made by a ProgramBuilder (program_builder.h).
//
// What must be in it
//   * Every op in pre-order: an op, then the ops of its first region, then those of its second, ..,
//     then the next op. Function headers, terminators, returns, edges and group markers are ops
//     too: the order of all of them is the order of the sweep.
//   * Every value that carries a sharding or is used: results and block arguments. A value without
//     a static shape (a token) has kNoShape.
//   * For each value its uses in the order of the graph's own use list. The order decides rare
//     conflicts, so it must be the list's order and not program order.
//   * Data-flow edges with their sources and targets (EdgeSpec), sharding groups in member order,
//     the outputs of the main function.
//   * Scalar computations of reduce, sort and the like may be left out: nothing moves inside.
//
// Sharding groups are synchronised by Propagate() itself; members that disagree must have been
// separated before (see GroupConflicts in groups.h).

#ifndef TESSERA_SHARDING_PROPAGATION_PROGRAM_H_
#define TESSERA_SHARDING_PROPAGATION_PROGRAM_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/factors/rule_table.h"
#include "tessera/sharding/propagation/step/direction.h"
#include "tessera/sharding/sharding_table.h"

namespace tessera::sharding::propagation {

using ValueId = int32_t;
using OpId = int32_t;
using EdgeId = int32_t;
using GroupId = int32_t;
using ShapeId = int32_t;
using RuleId = factors::RuleId;

inline constexpr int32_t kNone = -1;     // no value, op, edge, group
inline constexpr ShapeId kNoShape = -1;  // a token, or anything without a static shape
inline constexpr RuleId kAskForRule = factors::kNoRule - 1;  // ask at the op's first visit

// What an op is to the driver: whether it has a step of its own, and whom its uses wake.
enum class OpKind : uint8_t {
  kPlain,         // an ordinary op, with a rule or without; also constraints and group markers
  kDataFlowEdge,  // data-flow edge; rule: identity between its sources and its result
  kPropagationBarrier,  // propagation barrier; rule: identity, direction: OpSpec::barrier
  // Data-flow ops. They have no step; a use by one of them, or by the terminator of one of their
  // regions, wakes the edge of the result with the operand's number ...
  kWhile,
  kCase,
  kOptBarrier,
  // ... but an operand of these two wakes nobody.
  kNamedComputation,   // named computation: an inlined call
  kManualComputation,  // manual computation: a shard_map
  kRegion,             // any other op with regions (reduce, sort, if, ..); may have a rule
  kTerminator,         // ends a region; `parent` is the op whose region it ends
  kReturn,             // ends a function
  kFunction,           // header of a function, owner of its arguments
};

// When op priority lets an op move.
enum class OpPriorityClass : uint8_t {
  kOther,               // pass-through factors from level 2 on, all factors from level 3 on
  kPassThrough,         // level 0 (operands used once) or 1: element-wise, reshape, transpose,
                        //   MoveToHost / MoveToDevice custom calls; edges have it by themselves
  kPassThroughForward,  // the same, FORWARD only: dynamic-slice, dynamic-update-slice
  kBroadcast,           // BACKWARD only up to level 3: broadcast_in_dim
};

struct OpSpec {
  OpKind kind = OpKind::kPlain;
  OpPriorityClass flow = OpPriorityClass::kOther;
  Direction barrier = Direction::kNone;  // of a kBarrier
  bool element_wise = false;  // ranks conflicts and caps operands as for element-wise ops
  bool removable = false;     // no side effect, nor inside its regions: erased when unused
  RuleId rule = kAskForRule;  // of kPlain and kRegion; factors::kNoRule: nothing crosses the op
  OpId parent = kNone;        // the op whose region holds this op; kNone for functions
};

struct Use {
  OpId op = kNone;
  int32_t operand = 0;

  friend bool operator==(Use a, Use b) { return a.op == b.op && a.operand == b.operand; }
};

// In which terms the edge of a manual computation is stepped.
enum class ManualView : uint8_t {
  kNone,   // not an edge of a manual computation
  kOuter,  // block-argument edge: the manual part of the in-sharding is put in front
  kInner,  // result edge: the manual part is taken off
};

// One data-flow edge: `result` carries the sharding of the owner and of all other targets.
//   op                   owner           sources                          other_targets
//   while                result k        operand k, body terminator's k   cond arg k, body arg k
//   case                 result k        terminator operand k by branch   -
//   optimization barrier result k        operand k                        -
//   named, manual        block arg k     operand k                        -
//   named, manual        result k        body terminator's operand k      -
// The kEdge op itself has the owner as its only operand and `result` as its only result.
struct EdgeSpec {
  ValueId owner = kNone;
  ValueId result = kNone;
  std::vector<ValueId> sources;        // in the order of the table
  std::vector<ValueId> other_targets;  // in the order of the table
  ManualView view = ManualView::kNone;
  ShardingId boundary = kNoSharding;  // in- or out-sharding k of the manual computation
  std::vector<int> manual_axes;       // axis numbers in the mesh of `boundary`
};

// A value that the main function returns, with the sharding attribute of that result.
struct Output {
  ValueId value = kNone;
  ShardingId sharding = kNoSharding;
};

// Immutable once built. Numbers are dense; ops are numbered in pre-order.
class Program {
 public:
  int num_values() const { return static_cast<int>(shape_.size()); }
  int num_ops() const { return static_cast<int>(ops_.size()); }

  // --- values
  ShapeId shape(ValueId v) const { return shape_[v]; }
  bool has_shape(ValueId v) const { return shape_[v] != kNoShape; }
  absl::Span<const int64_t> dims(ValueId v) const { return shapes_[shape_[v]]; }
  int rank(ValueId v) const { return has_shape(v) ? static_cast<int>(dims(v).size()) : 0; }
  // The sharding at the start, of the value's own slot.
  ShardingId sharding(ValueId v) const { return sharding_[v]; }
  // The value whose slot holds the sharding of `v`: its edge if it is the target of one.
  ValueId home(ValueId v) const { return home_[v]; }
  // The defining op; for a block argument the op that owns the block.
  OpId def(ValueId v) const { return def_[v]; }
  bool is_block_argument(ValueId v) const { return is_block_argument_[v]; }
  absl::Span<const Use> uses(ValueId v) const {
    return {uses_.data() + use_begin_[v], static_cast<size_t>(use_count_[v])};
  }
  // The group that gets what is written to `v`; kNone for a member that an edge serves.
  GroupId group(ValueId v) const { return group_[v]; }

  // --- ops
  const OpSpec& op(OpId o) const { return ops_[o]; }
  absl::Span<const ValueId> operands(OpId o) const { return Slice(begin_[o], result_begin_[o]); }
  absl::Span<const ValueId> results(OpId o) const { return Slice(result_begin_[o], begin_[o + 1]); }
  // Operands, then results.
  absl::Span<const ValueId> tensors(OpId o) const { return Slice(begin_[o], begin_[o + 1]); }
  // First op after the regions of `o`.
  OpId end_of(OpId o) const { return subtree_end_[o]; }
  EdgeId edge(OpId o) const { return edge_of_op_[o]; }

  // --- tables
  absl::Span<const EdgeSpec> edges() const { return edges_; }
  absl::Span<const std::vector<ValueId>> groups() const { return groups_; }
  absl::Span<const Output> outputs() const { return outputs_; }
  absl::Span<const std::vector<int64_t>> shapes() const { return shapes_; }

 private:
  friend class ProgramBuilder;

  absl::Span<const ValueId> Slice(int32_t begin, int32_t end) const {
    return {tensors_.data() + begin, static_cast<size_t>(end - begin)};
  }

  std::vector<std::vector<int64_t>> shapes_;

  std::vector<ShapeId> shape_;
  std::vector<ShardingId> sharding_;
  std::vector<ValueId> home_;
  std::vector<OpId> def_;
  std::vector<bool> is_block_argument_;
  std::vector<GroupId> group_;
  std::vector<int32_t> use_begin_;
  std::vector<int32_t> use_count_;
  std::vector<Use> uses_;

  std::vector<OpSpec> ops_;
  std::vector<ValueId> tensors_;       // op by op
  std::vector<int32_t> begin_ = {0};   // of an op's tensors
  std::vector<int32_t> result_begin_;  // of its results among them
  std::vector<OpId> subtree_end_;
  std::vector<EdgeId> edge_of_op_;

  std::vector<EdgeSpec> edges_;
  std::vector<std::vector<ValueId>> groups_;
  std::vector<Output> outputs_;
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_PROGRAM_H_
