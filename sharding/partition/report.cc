// XLA removes what nobody needs, so a collective is one of the answer if the root of the entry, or a
// side effect, can be reached from it; bodies of loops, branches and calls count if their caller
// does. Linear in the nodes. Tested by partitioner_test.cc.

#include "tessera/sharding/partition/report.h"

#include <algorithm>
#include <utility>

namespace tessera::sharding::partition {
namespace {

// Back along first operands to what another instruction made; `own`: past what the instruction
// itself computes.
hlo::InstructionId ProducerOf(const hlo::Module& module, const Graph& graph, NodeId id, bool* own) {
  const hlo::InstructionId cause = graph.node(id).cause;
  while (!graph.operands(id).empty()) {
    id = graph.operands(id)[0];
    if (graph.node(id).cause != cause) return graph.node(id).cause;
    *own |= cause != hlo::kNoId && graph.node(id).opcode != Opcode::kCopy &&
            graph.node(id).opcode == module.instruction(cause).opcode;
  }
  return hlo::kNoId;
}

// An element that is named in place (`x#1`) has the metadata of its tuple.
hlo::InstructionId NamedBy(const hlo::Module& module, hlo::InstructionId id) {
  while (id != hlo::kNoId && module.instruction(id).is_implied &&
         module.instruction(id).opcode == Opcode::kGetTupleElement) {
    id = module.operands(id)[0];
  }
  return id;
}

// The loop that the partitioner makes for an instruction: one, whatever it holds.
int32_t LoopOf(const Node& node, int64_t trips, std::vector<Body>& bodies) {
  const auto same = [&](const Body& b) {
    return b.trips == trips && b.caller == node.cause && b.parent == node.body;
  };
  const auto found = std::find_if(bodies.begin(), bodies.end(), same);
  if (found != bodies.end()) return static_cast<int32_t>(found - bodies.begin());
  bodies.push_back({Body::Role::kLoop, hlo::kNoId, node.cause, node.body, trips});
  return static_cast<int32_t>(bodies.size()) - 1;
}

}  // namespace

void MarkLive(const std::vector<BodyNodes>& bodies, Graph& graph) {
  std::vector<int32_t> open = {0};
  std::vector<bool> seen(bodies.size(), false);
  while (!open.empty()) {
    const int32_t body = open.back();
    open.pop_back();
    if (seen[static_cast<size_t>(body)]) continue;
    seen[static_cast<size_t>(body)] = true;
    const auto on_call = [&](NodeId call) {
      for (int32_t inner : graph.site(call).bodies) open.push_back(inner);
    };
    graph.MarkLive(At(bodies, body).root, on_call);
    for (NodeId node : At(bodies, body).kept) graph.MarkLive(node, on_call);
  }
}

namespace {

struct Found {
  NodeId node;
  int32_t body;
};

// Body by body, in the order in which they were made; loops that the partitioner makes get bodies.
std::vector<Found> LiveCollectives(const Graph& graph, std::vector<Body>& bodies) {
  std::vector<Found> out;
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    if (node.form < 0 || !graph.IsLive(id)) continue;
    const int64_t trips = At(graph.forms(), node.form).trips;
    out.push_back({id, trips > 0 ? LoopOf(node, trips, bodies) : node.body});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Found& a, const Found& b) { return a.body < b.body; });
  return out;
}

}  // namespace

Partitioned Report(const hlo::Module& module, const Graph& graph, std::vector<Body> bodies) {
  Partitioned out;
  const std::vector<Found> live = LiveCollectives(graph, bodies);
  out.bodies = std::move(bodies);
  out.collectives.reserve(live.size());
  for (const Found& found : live) {
    const Node& node = graph.node(found.node);
    const CollectiveForm& form = At(graph.forms(), node.form);
    Collective& c = out.collectives.emplace_back();
    c.opcode = node.opcode;
    c.shape = *node.shape;
    c.operands.reserve(graph.operands(found.node).size());
    for (NodeId operand : graph.operands(found.node)) c.operands.push_back(graph.shape(operand));
    c.groups = form.groups;
    c.pairs = form.pairs;
    c.dimensions = form.dimensions;
    c.reduction = form.reduction;
    c.given = form.given != hlo::kNoId;
    c.cause = node.cause;
    c.named = NamedBy(module, node.named);
    c.producer = ProducerOf(module, graph, found.node, &c.own);
    c.body = found.body;
  }
  return out;
}

}  // namespace tessera::sharding::partition
