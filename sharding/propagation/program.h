// File: program.h
//
// Program: the frozen, dense graph on which propagation runs. It knows no HLO: whoever has a graph
// of its own (HLO, or anything else with values, ops and regions) describes it here once.
//
//   for (ValueId x : program.results(op)) program.uses(x);
//
// It is made by a ProgramBuilder (program_builder.h), or of ProgramColumns filled in one go.
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
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/factors/rule_table.h"
#include "tessera/sharding/op_priority_class.h"
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

using sharding::OpPriorityClass;

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

// A program as columns, a row for each value, op or edge. Who fills them in one go, in the order of
// the ops, has them right by construction (sharding/graph/run/freeze.h); a ProgramBuilder checks
// what it is given. program_links.h fills what follows from edges and groups.
struct ProgramColumns {
  std::vector<std::vector<int64_t>> shapes;

  // By value.
  std::vector<ShapeId> shape;
  std::vector<ShardingId> sharding;
  std::vector<ValueId> sharding_owner;
  std::vector<OpId> def;
  std::vector<bool> is_block_argument;
  std::vector<GroupId> group;
  std::vector<int32_t> use_begin;  // among the uses
  std::vector<int32_t> use_count;
  std::vector<Use> uses;

  // By op.
  std::vector<OpSpec> ops;
  std::vector<ValueId> tensors;       // operands and results, op by op
  std::vector<int32_t> begin = {0};   // of an op's tensors
  std::vector<int32_t> result_begin;  // of its results among them
  std::vector<OpId> subtree_end;      // the first op behind its regions
  std::vector<EdgeId> edge_of_op;

  std::vector<EdgeSpec> edges;
  std::vector<std::vector<ValueId>> groups;
  std::vector<Output> outputs;
};

// Immutable once built. Numbers are dense; ops are numbered in pre-order.
class Program {
 public:
  Program() = default;
  explicit Program(ProgramColumns columns) : c_(std::move(columns)) {}

  int num_values() const { return static_cast<int>(c_.shape.size()); }
  int num_ops() const { return static_cast<int>(c_.ops.size()); }

  // --- values
  ShapeId shape(ValueId v) const { return c_.shape[v]; }
  bool has_shape(ValueId v) const { return c_.shape[v] != kNoShape; }
  absl::Span<const int64_t> dims(ValueId v) const { return c_.shapes[c_.shape[v]]; }
  int rank(ValueId v) const { return has_shape(v) ? static_cast<int>(dims(v).size()) : 0; }
  // The sharding at the start, of the value's own slot.
  ShardingId sharding(ValueId v) const { return c_.sharding[v]; }
  // The value whose slot holds the sharding of `v`: its edge if it is the target of one.
  ValueId sharding_owner(ValueId v) const { return c_.sharding_owner[v]; }
  // The defining op; for a block argument the op that owns the block.
  OpId def(ValueId v) const { return c_.def[v]; }
  bool is_block_argument(ValueId v) const { return c_.is_block_argument[v]; }
  absl::Span<const Use> uses(ValueId v) const {
    return {c_.uses.data() + c_.use_begin[v], static_cast<size_t>(c_.use_count[v])};
  }
  // The group that gets what is written to `v`; kNone for a member that an edge serves.
  GroupId group(ValueId v) const { return c_.group[v]; }

  // --- ops
  const OpSpec& op(OpId o) const { return c_.ops[o]; }
  absl::Span<const ValueId> operands(OpId o) const {
    return Slice(c_.begin[o], c_.result_begin[o]);
  }
  absl::Span<const ValueId> results(OpId o) const {
    return Slice(c_.result_begin[o], c_.begin[o + 1]);
  }
  // Operands, then results.
  absl::Span<const ValueId> tensors(OpId o) const { return Slice(c_.begin[o], c_.begin[o + 1]); }
  // First op after the regions of `o`.
  OpId end_of(OpId o) const { return c_.subtree_end[o]; }
  EdgeId edge(OpId o) const { return c_.edge_of_op[o]; }

  // --- tables
  absl::Span<const EdgeSpec> edges() const { return c_.edges; }
  absl::Span<const std::vector<ValueId>> groups() const { return c_.groups; }
  absl::Span<const Output> outputs() const { return c_.outputs; }
  absl::Span<const std::vector<int64_t>> shapes() const { return c_.shapes; }

 private:
  friend class ProgramBuilder;

  absl::Span<const ValueId> Slice(int32_t begin, int32_t end) const {
    return {c_.tensors.data() + begin, static_cast<size_t>(end - begin)};
  }

  ProgramColumns c_;
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_PROGRAM_H_
