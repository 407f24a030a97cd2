// The elements that loops carry. An element that the body hands on is the value from outside. Two
// elements that begin and go on alike are one. An element that nobody reads is gone.
//
//   while (i, w, x): body returns (i + 1, w, w * x)      ->      while (i, x), which reads w
//
// Each of these may make nodes of the body equal, and inner loops simpler, so that the body is gone
// through again until nothing changes: a few times. Tested by dataflow_test.cc.

#include <utility>

#include "tessera/target/dataflow/instantiate.h"

namespace tessera::target {
namespace {

// Deeper loops are settled once.
constexpr int kDeep = 6;

}  // namespace

void Instantiation::SettleLoop(NodeId loop, int depth) {
  while (FindInvariants(loop) && depth < kDeep) MergeEqual(flow_.nodes[loop].bodies[0], depth);
  Scope& body = flow_.scopes[flow_.nodes[loop].bodies[0]];
  for (ValueId& root : body.roots) root = Find(root);
  body.condition = Find(body.condition);
}

// Whether any element is one less to carry.
bool Instantiation::FindInvariants(NodeId loop) {
  const Node& node = flow_.nodes[loop];
  const Scope& body = flow_.scopes[node.bodies[0]];
  absl::flat_hash_map<std::pair<ValueId, ValueId>, size_t> alike;  // by initial value and root
  bool found = false;
  for (size_t k = 0; k < body.parameters.size(); ++k) {
    const ValueId parameter = body.parameters[k];
    if (same_[parameter] != parameter) continue;
    const ValueId start = Find(node.operands[k]), root = Find(body.roots[k]);
    if (root == parameter) {
      same_[parameter] = same_[node.results[k]] = start;
      found = true;
      continue;
    }
    const auto [first, is_new] = alike.emplace(std::make_pair(start, root), k);
    if (is_new) continue;
    same_[parameter] = body.parameters[first->second];
    same_[node.results[k]] = node.results[first->second];
    found = true;
  }
  return found;
}

void Instantiation::MergeEqual(ScopeId scope, int depth) {
  EqualNodes equal(flow_, &keys_);
  std::vector<NodeId> kept;
  for (const NodeId id : flow_.scopes[scope].nodes) {
    for (ValueId& v : flow_.nodes[id].operands) v = Find(v);
    const NodeId same = equal.FindOrAdd(id);
    if (same != id) {
      for (size_t k = 0; k < flow_.nodes[id].results.size(); ++k) {
        same_[flow_.nodes[id].results[k]] = flow_.nodes[same].results[k];
      }
      continue;
    }
    kept.push_back(id);
    const auto bodies = flow_.nodes[id].bodies;
    for (const ScopeId body : bodies) MergeEqual(body, depth + 1);
    if (flow_.nodes[id].opcode == hlo::Opcode::kWhile) SettleLoop(id, depth + 1);
    for (const ScopeId body : bodies) {
      for (ValueId& root : flow_.scopes[body].roots) root = Find(root);
    }
  }
  flow_.scopes[scope].nodes = std::move(kept);
}

// Marks from the results and from what has side effects.
void Instantiation::RemoveDead() {
  std::vector<bool> live(flow_.values.size()), running(flow_.nodes.size());
  std::vector<ValueId> work;
  const auto mark = [&](ValueId v) {
    v = Find(v);
    if (!live[v]) work.push_back(v);
    live[v] = true;
  };
  const auto run = [&](NodeId n) {
    for (; n != kNone && !running[n]; n = flow_.scopes[flow_.nodes[n].scope].owner) {
      running[n] = true;
      const Node& node = flow_.nodes[n];
      const bool by_element =
          node.opcode == hlo::Opcode::kWhile || node.opcode == hlo::Opcode::kOptBarrier;
      if (node.opcode == hlo::Opcode::kWhile) mark(flow_.scopes[node.bodies[0]].condition);
      if (!by_element)
        for (const ValueId v : node.operands) mark(v);
    }
  };
  for (const ValueId v : flow_.scopes[0].roots) mark(v);
  for (const Scope& scope : flow_.scopes) {
    for (const NodeId n : scope.nodes) {
      if (flow_.nodes[n].has_side_effects && flow_.nodes[n].bodies.empty()) run(n);
      if (flow_.nodes[n].opcode == hlo::Opcode::kParameter) run(n);
    }
  }
  while (!work.empty()) {
    const Value& value = flow_.values[work.back()];
    work.pop_back();
    const NodeId n = value.node == kNone ? flow_.scopes[value.scope].owner : value.node;
    const Node& node = flow_.nodes[n];
    run(n);
    for (const ScopeId body : node.bodies) mark(flow_.scopes[body].roots[value.leaf]);
    if (node.opcode == hlo::Opcode::kWhile) {
      mark(flow_.scopes[node.bodies[0]].parameters[value.leaf]);
      mark(node.results[value.leaf]);
      mark(node.operands[value.leaf]);
    } else if (node.opcode == hlo::Opcode::kOptBarrier) {
      mark(node.operands[value.leaf]);
    }
  }
  for (Scope& scope : flow_.scopes) {
    if (scope.owner != kNone && !running[scope.owner]) {
      scope = {scope.owner, scope.parent, {}, {}, {}, kNone};
      continue;
    }
    std::vector<NodeId> kept;
    for (const NodeId n : scope.nodes) {
      if (!running[n]) continue;
      kept.push_back(n);
      for (ValueId& v : flow_.nodes[n].operands) v = Find(v);
      KeepLiveElements(&flow_.nodes[n], live);
    }
    scope.nodes = std::move(kept);
    for (ValueId& v : scope.roots) v = Find(v);
    if (scope.condition != kNone) scope.condition = Find(scope.condition);
  }
}

// Of a loop or a barrier.
void Instantiation::KeepLiveElements(Node* node, const std::vector<bool>& live) {
  const bool is_loop = node->opcode == hlo::Opcode::kWhile;
  if (!is_loop && node->opcode != hlo::Opcode::kOptBarrier) return;
  Scope* body = is_loop ? &flow_.scopes[node->bodies[0]] : nullptr;
  uint32_t kept = 0;
  for (size_t k = 0; k < node->results.size(); ++k) {
    const ValueId tested = is_loop ? body->parameters[k] : node->results[k];
    if (!live[tested] || same_[tested] != tested) continue;
    node->operands[kept] = node->operands[k];
    node->results[kept] = node->results[k];
    flow_.values[node->results[kept]].leaf = kept;
    if (is_loop) {
      body->parameters[kept] = body->parameters[k];
      body->roots[kept] = body->roots[k];
      flow_.values[body->parameters[kept]].leaf = kept;
    }
    ++kept;
  }
  node->operands.resize(kept);
  node->results.resize(kept);
  if (is_loop) body->parameters.resize(kept);
  if (is_loop) body->roots.resize(kept);
}

}  // namespace tessera::target
