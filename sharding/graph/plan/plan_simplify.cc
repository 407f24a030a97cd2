// Two sweeps over the nodes of a computation, which stand behind their operands. Forward: each node gets
// an heir, itself or what stands for it, and reads the heirs of its operands; so chains of tuples and
// elements fold in one sweep.
//
//   t = tuple(a, b)   e = get-tuple-element(t, 0)        readers of e read a
//   e0, e1 = elements of w   t = tuple(e0, e1)           readers of t read w, if that is all of w
//
// Backward: live is the root, what has an effect, and what these need; the rest goes, and the numbers
// close up. Only nodes that packing has made are folded, never a tuple of the user's. Linear.

#include "tessera/sharding/graph/plan/plan_simplify.h"

#include <utility>

namespace tessera::sharding::graph {
namespace {

using hlo::Opcode;

class Simplifier {
 public:
  Simplifier(const PlanShardings& shardings, PlanComputation& computation)
      : shardings_(shardings), c_(computation) {}

  void Run() {
    FoldTuples();
    Compact(Live());
  }

 private:
  PlanNode& Node(NodeId id) { return c_.nodes[static_cast<size_t>(id)]; }

  void FoldTuples() {
    heirs_.resize(c_.nodes.size());
    for (NodeId id = 0; id < static_cast<NodeId>(c_.nodes.size()); ++id) {
      for (NodeId& operand : Node(id).operands) operand = heirs_[static_cast<size_t>(operand)];
      const NodeId heir = HeirOf(id);
      heirs_[static_cast<size_t>(id)] = heir != kNoNode && Inherit(id, heir) ? heir : id;
    }
    c_.root = heirs_[static_cast<size_t>(c_.root)];
  }

  // The node that could stand for `id`.
  NodeId HeirOf(NodeId id) {
    const PlanNode& node = Node(id);
    if (node.role != NodeRole::kPacking) return kNoNode;
    if (node.opcode == Opcode::kGetTupleElement) {
      const PlanNode& tuple = Node(node.operands[0]);
      return tuple.opcode == Opcode::kTuple ? tuple.operands[static_cast<size_t>(node.number)]
                                            : kNoNode;
    }
    if (node.opcode != Opcode::kTuple || node.operands.empty()) return kNoNode;
    NodeId whole = kNoNode;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const PlanNode& element = Node(node.operands[i]);
      if (element.opcode != Opcode::kGetTupleElement) return kNoNode;
      if (element.number != static_cast<int64_t>(i)) return kNoNode;
      if (whole != kNoNode && element.operands[0] != whole) return kNoNode;
      whole = element.operands[0];
    }
    const bool all = Node(whole).shape->tuple_elements().size() == node.operands.size();
    return all ? whole : kNoNode;
  }

  bool Inherit(NodeId id, NodeId heir) {
    const PlanSharding old = Node(id).sharding;
    PlanSharding& kept = Node(heir).sharding;
    if (old == kNoPlanSharding) return true;
    if (kept == kNoPlanSharding) kept = old;
    return shardings_.Same(kept, old);
  }

  std::vector<bool> Live() {
    std::vector<bool> live(c_.nodes.size(), false);
    live[static_cast<size_t>(c_.root)] = true;
    for (NodeId parameter : c_.parameters) live[static_cast<size_t>(parameter)] = true;
    for (size_t i = c_.nodes.size(); i-- > 0;) {
      if (!live[i] && !c_.nodes[i].has_effect) continue;
      live[i] = true;
      for (NodeId operand : c_.nodes[i].operands) live[static_cast<size_t>(operand)] = true;
    }
    return live;
  }

  void Compact(const std::vector<bool>& live) {
    std::vector<NodeId> place(c_.nodes.size(), kNoNode);
    size_t kept = 0;
    for (size_t i = 0; i < c_.nodes.size(); ++i) {
      if (!live[i]) continue;
      place[i] = static_cast<NodeId>(kept);
      for (NodeId& operand : c_.nodes[i].operands) operand = place[static_cast<size_t>(operand)];
      if (kept != i) c_.nodes[kept] = c_.nodes[i];
      ++kept;
    }
    c_.nodes.resize(kept);
    c_.root = place[static_cast<size_t>(c_.root)];
    for (NodeId& parameter : c_.parameters) parameter = place[static_cast<size_t>(parameter)];
  }

  const PlanShardings& shardings_;
  PlanComputation& c_;
  std::vector<NodeId> heirs_;
};

// Computations that the entry does not reach lose their nodes.
void EmptyUnreached(ExportPlan& plan) {
  std::vector<bool> reached(plan.computations.size(), false);
  std::vector<int> todo = {plan.entry};
  while (!todo.empty()) {
    const size_t id = static_cast<size_t>(todo.back());
    todo.pop_back();
    if (reached[id]) continue;
    reached[id] = true;
    for (const PlanNode& node : plan.computations[id].nodes) {
      todo.insert(todo.end(), node.called.begin(), node.called.end());
    }
  }
  for (size_t i = 0; i < reached.size(); ++i) {
    if (!reached[i]) plan.computations[i] = PlanComputation();
  }
}

}  // namespace

void SimplifyPlan(ExportPlan& plan) {
  for (PlanComputation& c : plan.computations) {
    if (!c.verbatim) Simplifier(plan.shardings, c).Run();
  }
  EmptyUnreached(plan);
}

}  // namespace tessera::sharding::graph
