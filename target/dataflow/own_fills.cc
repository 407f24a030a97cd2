#include "tessera/target/dataflow/own_fills.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/target/dataflow/readers.h"

namespace tessera::target {
namespace {

using hlo::Opcode;

class OwnFills {
 public:
  OwnFills(Dataflow* flow, OtherReaders others) : flow_(*flow), readers_(*flow), others_(others) {}

  void Run() {
    for (ScopeId s = 0; s < flow_.scopes.size(); ++s) {
      std::vector<NodeId> nodes;
      for (const NodeId n : flow_.scopes[s].nodes) {
        for (size_t k = 0; k < Overwritten(n); ++k) GiveOwn(n, k, &nodes);
        nodes.push_back(n);
      }
      flow_.scopes[s].nodes = std::move(nodes);
    }
  }

 private:
  // How many of its operands, from the first one, it writes over.
  size_t Overwritten(NodeId n) const {
    const Node& node = flow_.nodes[n];
    switch (node.opcode) {
      case Opcode::kDynamicUpdateSlice:
        return 1;
      case Opcode::kScatter:
        return node.results.size();
      case Opcode::kWhile:
        return IsUnrolled(flow_, node) ? 0 : node.operands.size();
      default:
        return 0;
    }
  }

  void GiveOwn(NodeId n, size_t operand, std::vector<NodeId>* nodes) {
    const ValueId v = flow_.nodes[n].operands[operand];
    const Node* maker = flow_.NodeOf(v);
    if (maker == nullptr || !IsFill(flow_, *maker)) return;
    if (taken_.insert(v).second && !IsReadAfter(v, n)) return;
    const auto node = static_cast<NodeId>(flow_.nodes.size());
    const auto made = static_cast<ValueId>(flow_.values.size());
    const ScopeId scope = flow_.nodes[n].scope;
    Node fill = *maker;
    fill.scope = scope;
    fill.results = {made};
    fill.is_again = true;
    flow_.values.push_back({flow_.values[v].shape, node, scope, 0});
    flow_.nodes.push_back(std::move(fill));
    flow_.nodes[n].operands[operand] = made;
    nodes->push_back(node);
  }

  // Whether something that the loop `n` does not depend on reads `v`, too.
  bool IsReadAfter(ValueId v, NodeId n) const {
    if (others_ == OtherReaders::kMakeAnew || flow_.nodes[n].opcode != Opcode::kWhile) return false;
    std::vector<NodeId> others;
    for (const Reader& r : readers_.Direct(v)) {
      const NodeId reader = r.node == kNone ? kNone : NodeIn(flow_, flow_.nodes[n].scope, r.node);
      if (reader != kNone && Overwritten(reader) == 0) others.push_back(reader);
    }
    if (others.empty()) return false;
    const absl::flat_hash_set<NodeId> before = NeededBy(n);
    return absl::c_any_of(others, [&](NodeId reader) { return !before.contains(reader); });
  }

  absl::flat_hash_set<NodeId> NeededBy(NodeId n) const {
    absl::flat_hash_set<NodeId> found;
    std::vector<NodeId> stack = {n};
    while (!stack.empty()) {
      const Node& node = flow_.nodes[stack.back()];
      stack.pop_back();
      for (const ValueId v : node.operands) {
        const NodeId maker = flow_.values[v].node;
        if (maker != kNone && found.insert(maker).second) stack.push_back(maker);
      }
    }
    return found;
  }

  Dataflow& flow_;
  const Readers readers_;  // before any has a fill of its own
  const OtherReaders others_;
  absl::flat_hash_set<ValueId> taken_;  // fills that something writes over
};

}  // namespace

bool IsFill(const Dataflow& flow, const Node& node) {
  if (node.opcode != Opcode::kBroadcast) return false;
  const ValueId number = node.operands[0];
  const Node* maker = flow.NodeOf(number);
  return maker != nullptr && maker->opcode == Opcode::kConstant &&
         flow.values[number].shape->rank() == 0;
}

void GiveOwnFills(Dataflow* flow, OtherReaders others) { OwnFills(flow, others).Run(); }

}  // namespace tessera::target
