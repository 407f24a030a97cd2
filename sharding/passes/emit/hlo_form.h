// A program in HLO form: the result of the pass, not yet text.
//
//   HloForm form = LowerToHlo(program, options);      // the program is in the form of HLO now
//   NumberNodes(form);
//   for (NodeId id = 0; id < form.computations[form.entry].num_nodes(); ++id) {
//     const HloNode node = form.computations[form.entry].node(id);
//     node.opcode();                           // hlo::Opcode::kCopy
//     node.source();                           // the instruction of the input
//     form.shardings.text(node.sharding());    // "{devices=[2,2]<=[4]}"
//   }
//
// A program knows values, regions and captures; HLO knows tuples, parameters and called
// computations. In HLO form, a loop carries a tuple of its changing and captured values. A shard_map is
// a call between conversions. Get-tuple-elements follow an op with several results. Each op is one
// instruction with one result. A block is a computation; its arguments are the parameters, and the
// operand of its return is the root.
//
// An op that already is one instruction stays in place. A node is an op or a parameter, with a number
// in its computation: parameters first, then the ops in their order, operands first. Both writers read
// it: `xla` prints it as a new module, `keep` looks up the nodes of each instruction of the input.

#ifndef TESSERA_SHARDING_PASSES_EMIT_HLO_FORM_H_
#define TESSERA_SHARDING_PASSES_EMIT_HLO_FORM_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"
#include "tessera/sharding/passes/emit/hlo_shardings.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

using NodeId = int32_t;
inline constexpr NodeId kNoNode = -1;

using HloAttributes = std::vector<std::pair<hlo::AttributeName, std::string>>;

// Payload of an op that is not like its source, or that calls computations.
struct HloInfo : Payload {
  HloAttributes attributes;
  std::string literal;      // of a constant
  int32_t number = 0;       // of a boundary: which operand or result of the shard_map
  std::vector<int> called;  // computations

  Payload* Clone() const override { return new HloInfo(*this); }
};

// After lowering, the slot of a value holds its HLO sharding, and its number is its node.
inline HloShardingId HloShardingOf(const Value* value) {
  return static_cast<HloShardingId>(value->sharding());
}
inline void SetHloSharding(Value* value, HloShardingId id) {
  value->set_sharding(static_cast<ShardingId>(id));
}
inline NodeId NodeOf(const Value* value) { return value->number(); }

// The operands of a node, by their numbers.
class NodeOperands {
 public:
  explicit NodeOperands(const Op* op) : op_(op) {}

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = NodeId;
    using difference_type = std::ptrdiff_t;
    using pointer = const NodeId*;
    using reference = NodeId;

    explicit Iterator(const Use* use) : use_(use) {}
    NodeId operator*() const { return NodeOf(use_->value()); }
    Iterator& operator++() {
      ++use_;
      return *this;
    }
    friend bool operator==(Iterator a, Iterator b) { return a.use_ == b.use_; }
    friend bool operator!=(Iterator a, Iterator b) { return a.use_ != b.use_; }

   private:
    const Use* use_;
  };

  size_t size() const { return op_ == nullptr ? 0 : op_->operands.size(); }
  bool empty() const { return size() == 0; }
  NodeId operator[](size_t i) const { return NodeOf(op_->operands[i].value()); }
  Iterator begin() const { return Iterator(op_ == nullptr ? nullptr : op_->operands.begin()); }
  Iterator end() const { return Iterator(op_ == nullptr ? nullptr : op_->operands.end()); }

 private:
  const Op* op_;
};

// A view of one lowered op, or of a parameter.
class HloNode {
 public:
  explicit HloNode(const Value* value) : value_(value), op_(value->def()) {}

  hlo::Opcode opcode() const { return op_ == nullptr ? hlo::Opcode::kParameter : op_->opcode; }
  HloRole role() const { return op_ == nullptr ? HloRole::kPacking : op_->role; }
  // Has the attributes (except shardings) and the literal of its source.
  bool like_source() const { return op_ != nullptr && op_->like_source; }
  bool has_effect() const { return op_ != nullptr && !op_->pure; }
  hlo::InstructionId source() const { return op_ == nullptr ? hlo::kNoId : op_->source; }
  HloShardingId sharding() const { return HloShardingOf(value_); }
  // Of a parameter; index of a get-tuple-element; of a boundary, see HloInfo.
  int64_t number() const {
    if (op_ == nullptr) return value_->index();
    if (op_->opcode == hlo::Opcode::kGetTupleElement) return op_->attribute;
    return info() == nullptr ? 0 : info()->number;
  }
  const layout::Shape& shape() const { return value_->shape(); }
  NodeOperands operands() const { return NodeOperands(op_); }
  absl::Span<const int> called() const {
    return info() == nullptr ? absl::Span<const int>() : absl::MakeConstSpan(info()->called);
  }
  absl::Span<const HloAttributes::value_type> attributes() const {
    return info() == nullptr ? absl::Span<const HloAttributes::value_type>()
                             : absl::MakeConstSpan(info()->attributes);
  }
  absl::string_view literal() const {
    return info() == nullptr ? absl::string_view() : absl::string_view(info()->literal);
  }

 private:
  const HloInfo* info() const { return op_ == nullptr ? nullptr : op_->As<HloInfo>(); }

  const Value* value_;
  const Op* op_;
};

// The new place of each leaf of a parameter; -1 if removed. It is the number of a parameter (of a
// function or the body of a shard_map), or of an element of the one parameter (of a loop's or branch's
// region). For regions only the elements that a loop changes are known; FindRegionLeaves() of
// pipeline/writers finds the captured ones.
using LeafMap = std::vector<int>;

struct HloComputation {
  NodeId num_nodes() const { return static_cast<NodeId>(nodes.size()); }
  HloNode node(NodeId id) const { return HloNode(nodes[static_cast<size_t>(id)]); }

  std::string name;
  // The computation that this one copies; kNoId for an added one.
  hlo::ComputationId source = hlo::kNoId;
  // Has no block: a copy of `source`, each instruction (except parameters) with the sharding `mark` if
  // there is one. Reducers, comparators, fusion bodies.
  bool verbatim = false;
  HloShardingId mark = kNoHloSharding;
  bool has_effect = false;
  bool is_region = false;  // of a loop or a branch
  bool is_loop_body = false;
  Block* block = nullptr;
  // Set by NumberNodes(), as is the root.
  std::vector<const Value*> nodes;
  size_t num_parameters = 0;  // the first nodes
  NodeId root = kNoNode;
  // For each parameter of `source`, in its terms.
  std::vector<LeafMap> parameter_leaves;
  // Regions of loops: this many elements of the parameter change, the others are captured.
  int num_carried = 0;
  // Regions, from FindRegionLeaves(): the sharding of a constant in the region that takes the place
  // of a leaf of the parameter.
  std::vector<HloShardingId> moved_leaves;
};

// The data of a lowered program beside its ops. Valid while the program lives.
struct HloForm {
  std::deque<HloComputation> computations;  // addresses are stable while more are added
  std::vector<Op*> packing;                 // tuples and elements that the form needs, in order
  int entry = 0;
  HloShardings shardings;
  bool tuple_args = false;
  int64_t num_partitions = 0;  // as in LoweringOptions
  // The sharding of a constrained value without axes, in a computation that is no block.
  HloShardingId without_axes = kNoHloSharding;
};

struct LoweringOptions {
  // Write mesh-and-axis shardings (V3) in place of tile assignments (V2).
  bool named = false;
  // The entry takes one tuple of all its parameters.
  bool tuple_args = false;
  // The num_partitions of the header; 0: unchanged.
  int64_t num_partitions = 0;
};

// Precondition: the export passes have run (export.h), and constants are sunk into the regions that
// capture them (sink_constants.h). tuple_simplifier.h removes superfluous tuples. Nodes have no numbers
// yet.
HloForm LowerToHlo(HloProgram& program, const LoweringOptions& options);

// Numbers the nodes of each computation; call it again after adding or removing ops.
void NumberNodes(HloForm& form);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_EMIT_HLO_FORM_H_
