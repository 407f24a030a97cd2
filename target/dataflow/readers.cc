#include "tessera/target/dataflow/readers.h"

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/dataflow/op_kinds.h"

namespace tessera::target {
namespace {

template <typename Visit>  // (value, reader)
void ForEachUse(const Dataflow& flow, Visit&& visit) {
  for (ScopeId s = 0; s < flow.scopes.size(); ++s) {
    const Scope& scope = flow.scopes[s];
    for (const NodeId n : scope.nodes) {
      const Node& node = flow.nodes[n];
      for (uint32_t k = 0; k < node.operands.size(); ++k) visit(node.operands[k], Reader{n, k, s});
    }
    for (uint32_t k = 0; k < scope.roots.size(); ++k) visit(scope.roots[k], Reader{kNone, k, s});
    if (scope.condition != kNone) visit(scope.condition, Reader{kNone, kNone, s});
  }
}

constexpr size_t kMostUnrolled = 4;

// Devices that an array visits until it is back, or until nobody sends it on.
size_t RoundOf(const Dataflow& flow, const Node& permute) {
  const auto pairs = hlo::GetSourceTargetPairs(*flow.module, permute.instruction);
  const absl::flat_hash_map<int64_t, int64_t> next(pairs.begin(), pairs.end());
  size_t visited = 0;
  for (auto at = next.begin(); at != next.end() && visited <= next.size(); ++visited) {
    if (visited > 0 && at->first == next.begin()->first) break;
    at = next.find(at->second);
  }
  return visited;
}

}  // namespace

Readers::Readers(const Dataflow& flow) : flow_(flow), begin_(flow.values.size() + 2) {
  ForEachUse(flow, [&](ValueId v, const Reader&) { ++begin_[v + 2]; });
  for (size_t v = 2; v < begin_.size(); ++v) begin_[v] += begin_[v - 1];
  uses_.resize(begin_.back());
  ForEachUse(flow, [&](ValueId v, const Reader& r) { uses_[begin_[v + 1]++] = r; });
  begin_.pop_back();
}

std::vector<Reader> Readers::Direct(ValueId v) const {
  return {uses_.begin() + begin_[v], uses_.begin() + begin_[v + 1]};
}

const std::vector<Reader>& Readers::Of(ValueId v) {
  found_.clear();
  stack_.assign(1, v);
  while (!stack_.empty() && found_.size() < kMaxReaders) {
    const ValueId at = stack_.back();
    stack_.pop_back();
    for (uint32_t u = begin_[at]; u < begin_[at + 1] && found_.size() < kMaxReaders; ++u) {
      const Reader& r = uses_[u];
      if (r.node == kNone || KindOf(flow_.nodes[r.node].opcode) != OpKind::kView) {
        found_.push_back(r);
        continue;
      }
      const Node& view = flow_.nodes[r.node];
      stack_.push_back(view.results[view.results.size() == 1 ? 0 : r.operand]);
    }
  }
  return found_;
}

NodeId NodeIn(const Dataflow& flow, ScopeId scope, NodeId node) {
  while (node != kNone && flow.nodes[node].scope != scope) {
    node = flow.scopes[flow.nodes[node].scope].owner;
  }
  return node;
}

bool IsRepeatedNumber(const Dataflow& flow, ValueId v) {
  const Node* node = flow.NodeOf(v);
  return node != nullptr && node->opcode == hlo::Opcode::kBroadcast &&
         flow.values[node->operands[0]].shape->rank() == 0;
}

bool ComputesOperand(const Dataflow& flow, const Node& node, uint32_t operand) {
  if (node.opcode == hlo::Opcode::kScatter)
    return operand == 0 && IsRepeatedNumber(flow, node.operands[0]);
  return FusesOperand(*flow.module, node.instruction, operand);
}

bool SendsRound(const Dataflow& flow, const Node& node) {
  if (node.opcode != hlo::Opcode::kWhile) return false;
  const Scope& body = flow.scopes[node.bodies[0]];
  return absl::c_any_of(body.nodes, [&](NodeId n) {
    const Node& permute = flow.nodes[n];
    return permute.opcode == hlo::Opcode::kCollectivePermute &&
           (absl::c_linear_search(body.parameters, permute.operands[0]) ||
            absl::c_linear_search(body.roots, permute.results[0]));
  });
}

bool IsUnrolled(const Dataflow& flow, const Node& node) {
  return SendsRound(flow, node) && absl::c_all_of(flow.scopes[node.bodies[0]].nodes, [&](NodeId n) {
           const Node& permute = flow.nodes[n];
           return permute.opcode != hlo::Opcode::kCollectivePermute ||
                  RoundOf(flow, permute) <= kMostUnrolled;
         });
}

}  // namespace tessera::target
