// A collective is reported if the root of the entry or a side effect reaches it through operands.
// Bodies of loops, branches and calls are live if their caller is. XLA: HloDCE after the
// partitioner. Linear in the nodes. Tested by partitioner_test.cc.

#include "tessera/sharding/partition/report.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace tessera::sharding::partition {
namespace {

// Follows first operands back to a node of another instruction; `own`: past the instruction's own
// computation.
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

// The loops that the partitioner makes: one for an instruction, whatever it holds.
class OwnLoops {
 public:
  explicit OwnLoops(std::vector<Body>& bodies) : bodies_(bodies) {}

  int32_t Of(const Node& node, int64_t trips) {
    const auto next = static_cast<int32_t>(bodies_.size());
    const auto [known, is_new] = known_.try_emplace({node.cause, node.body, trips}, next);
    if (is_new) bodies_.push_back({Body::Role::kLoop, hlo::kNoId, node.cause, node.body, trips});
    return known->second;
  }

 private:
  using Key = std::tuple<hlo::InstructionId, int32_t, int64_t>;  // caller, parent, trips

  std::vector<Body>& bodies_;
  absl::flat_hash_map<Key, int32_t> known_;
};

// Operands come before nodes, bodies before calls: once from the end to the beginning.
class Sweep {
 public:
  Sweep(const std::vector<BodyNodes>& bodies, const Graph& graph)
      : bodies_(bodies),
        graph_(graph),
        is_live_(static_cast<size_t>(graph.size())),
        is_run_(bodies.size()) {}

  LiveNodes Run() {
    std::vector<NodeId> out;
    NeedBody(0);
    uint8_t* const is_live = is_live_.data();
    for (auto id = static_cast<NodeId>(graph_.size()); id-- > 0;) {
      if (is_live[id] == 0) continue;
      const Node& node = graph_.node(id);
      if (node.opcode == Opcode::kGetTupleElement) {
        const NodeId after = graph_.Resolved(id);
        is_live[after] = 1;
        if (after != id) continue;
      }
      if (node.form >= 0) out.push_back(id);
      if (node.site >= 0) {
        for (int32_t inner : graph_.site(id).bodies) NeedBody(inner);
      }
      const absl::Span<const NodeId> operands = graph_.operands(id);
      for (const NodeId *at = operands.data(), *end = at + operands.size(); at != end; ++at) {
        is_live[*at] = 1;
      }
    }
    std::reverse(out.begin(), out.end());
    return {std::move(is_live_), std::move(is_run_), std::move(out)};
  }

 private:
  void Need(NodeId id) { At(is_live_, id) = 1; }

  void NeedBody(int32_t body) {
    if (std::exchange(At(is_run_, body), uint8_t{1}) != 0) return;
    Need(At(bodies_, body).root);
    for (NodeId node : At(bodies_, body).kept) Need(node);
  }

  const std::vector<BodyNodes>& bodies_;
  const Graph& graph_;
  std::vector<uint8_t> is_live_, is_run_;  // by node and by body
};

struct Found {
  NodeId node;
  int32_t body;
};

// Body by body; loops that the partitioner makes get bodies.
std::vector<Found> ByBody(const Graph& graph, const std::vector<NodeId>& live,
                          std::vector<Body>& bodies) {
  std::vector<Found> out;
  OwnLoops loops(bodies);
  out.reserve(live.size());
  for (NodeId id : live) {
    const Node& node = graph.node(id);
    const int64_t trips = At(graph.forms(), node.form).trips;
    out.push_back({id, trips > 0 ? loops.Of(node, trips) : node.body});
  }
  const auto is_before = [](const Found& a, const Found& b) { return a.body < b.body; };
  if (!std::is_sorted(out.begin(), out.end(), is_before)) {
    std::stable_sort(out.begin(), out.end(), is_before);
  }
  return out;
}

// Most collectives have one operand: those of one shape share the list.
class OperandShapes {
 public:
  explicit OperandShapes(const Graph& graph) : graph_(graph), alone_(graph.num_shapes()) {}

  SharedList<Shape> Of(NodeId collective) {
    const absl::Span<const NodeId> operands = graph_.operands(collective);
    if (operands.size() != 1) return ListOf(operands);
    SharedList<Shape>& list = alone_[Graph::NumberOf(&graph_.shape(operands[0]))];
    if (list.empty()) list = ListOf(operands);
    return list;
  }

 private:
  SharedList<Shape> ListOf(absl::Span<const NodeId> operands) const {
    std::vector<Shape> shapes;
    shapes.reserve(operands.size());
    for (NodeId operand : operands) shapes.push_back(graph_.shape(operand));
    return SharedList<Shape>(std::move(shapes));
  }

  const Graph& graph_;
  std::vector<SharedList<Shape>> alone_;  // by number of the shape
};

}  // namespace

hlo::InstructionId NamedBy(const hlo::Module& module, hlo::InstructionId id) {
  while (id != hlo::kNoId && module.instruction(id).is_implied &&
         module.instruction(id).opcode == Opcode::kGetTupleElement) {
    id = module.operands(id)[0];
  }
  return id;
}

LiveNodes FindLiveNodes(const std::vector<BodyNodes>& bodies, const Graph& graph) {
  return Sweep(bodies, graph).Run();
}

Partitioned Report(const hlo::Module& module, const Graph& graph, const std::vector<NodeId>& live,
                   std::vector<Body> bodies) {
  Partitioned out;
  const std::vector<Found> found_in = ByBody(graph, live, bodies);
  out.bodies = std::move(bodies);
  out.collectives.reserve(live.size());
  OperandShapes operands(graph);
  for (const Found& found : found_in) {
    const Node& node = graph.node(found.node);
    const CollectiveForm& form = At(graph.forms(), node.form);
    Collective& c = out.collectives.emplace_back();
    c.opcode = node.opcode;
    c.shape = Shape(*node.shape);
    c.operands = operands.Of(found.node);
    c.groups = form.groups;
    c.pairs = form.pairs;
    c.dimensions = form.dimensions;
    if (form.reduction.has_value()) c.reduction = std::string(hlo::OpcodeName(*form.reduction));
    c.given = form.given != hlo::kNoId;
    c.rematerializes = form.rematerializes;
    c.cause = node.cause;
    c.named = NamedBy(module, node.named);
    c.producer = ProducerOf(module, graph, found.node, &c.own);
    c.body = found.body;
  }
  return out;
}

}  // namespace tessera::sharding::partition
