#include "tessera/target/dataflow/narrowed_before_loops.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/dataflow/readers.h"

namespace tessera::target {
namespace {

using hlo::Opcode;
using layout::ElementType;

class Narrowing {
 public:
  explicit Narrowing(Dataflow* flow) : flow_(*flow) {}

  // Values and nodes that are added are no converts of a loop.
  void Run() {
    const auto count = static_cast<NodeId>(flow_.nodes.size());
    for (NodeId n = 0; n < count; ++n) {
      if (flow_.nodes[n].opcode == Opcode::kConvert) Visit(n);
    }
  }

 private:
  void Visit(NodeId convert) {
    const ElementType narrow = TypeOf(flow_.nodes[convert].results[0]);
    const ValueId wide = flow_.nodes[convert].operands[0];
    if (!IsNarrower(narrow, TypeOf(wide))) return;
    const NodeId slice = SliceViewedBy(wide);
    if (slice == kNone) return;
    const ValueId stack = flow_.nodes[slice].operands[0];
    const NodeId loop = NodeIn(flow_, flow_.values[stack].scope, convert);
    if (loop == convert || loop == kNone || flow_.nodes[loop].opcode != Opcode::kWhile) return;
    ValueList operands = flow_.nodes[slice].operands;
    operands[0] = NarrowStack(stack, narrow, convert, loop);
    flow_.nodes[convert].opcode = Opcode::kDynamicSlice;
    flow_.nodes[convert].operands = std::move(operands);
  }

  static bool IsNarrower(ElementType narrow, ElementType wide) {
    return layout::IsFloat(narrow) && layout::IsFloat(wide) &&
           layout::BitWidth(narrow) < layout::BitWidth(wide);
  }

  ElementType TypeOf(ValueId v) const { return flow_.values[v].shape->element_type(); }

  // The dynamic-slice that `v` is a view of; kNone for other values.
  NodeId SliceViewedBy(ValueId v) const {
    while (flow_.values[v].node != kNone) {
      const Node& node = *flow_.NodeOf(v);
      if (node.opcode == Opcode::kDynamicSlice) return flow_.values[v].node;
      if (node.opcode != Opcode::kReshape && node.opcode != Opcode::kOptBarrier) return kNone;
      v = node.operands[node.opcode == Opcode::kReshape ? 0 : flow_.values[v].leaf];
    }
    return kNone;
  }

  // Nodes of a scope are in the order in which they may run, so the first loop is in front of the others.
  ValueId NarrowStack(ValueId stack, ElementType type, NodeId convert, NodeId loop) {
    const auto [found, is_new] = narrow_.try_emplace({stack, type}, flow_.values.size());
    if (!is_new) return found->second;
    const ScopeId scope = flow_.values[stack].scope;
    const ValueId made = found->second;
    const auto node = static_cast<NodeId>(flow_.nodes.size());
    flow_.values.push_back({ShapeOf(stack, type), node, scope, 0});
    Node added;
    added.opcode = Opcode::kConvert;
    added.instruction = flow_.nodes[convert].instruction;
    added.scope = scope;
    added.operands = {stack};
    added.results = {made};
    flow_.nodes.push_back(std::move(added));
    std::vector<NodeId>& nodes = flow_.scopes[scope].nodes;
    nodes.insert(absl::c_find(nodes, loop), node);
    return made;
  }

  const layout::Shape* ShapeOf(ValueId stack, ElementType type) {
    auto shape = std::make_unique<layout::Shape>(*flow_.values[stack].shape);
    shape->set_element_type(type);
    return flow_.own_shapes.emplace_back(std::move(shape)).get();
  }

  Dataflow& flow_;
  absl::flat_hash_map<std::pair<ValueId, ElementType>, ValueId> narrow_;
};

}  // namespace

void NarrowBeforeLoops(Dataflow* flow) { Narrowing(flow).Run(); }

}  // namespace tessera::target
