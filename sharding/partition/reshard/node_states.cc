// A cluster is written down as a list of numbers, beginning at the node: what it is alone, then what
// each scope remembers of it, other nodes numbered as they come up, and after it these. Equal lists
// are equal states.

#include "tessera/sharding/partition/reshard/node_states.h"

#include <algorithm>

namespace tessera::sharding::partition {
namespace {

void Append(const hlo::Window& window, std::vector<int64_t>& out) {
  out.push_back(Size(window));
  for (const hlo::WindowDimension& w : window) {
    for (int64_t number : {w.size, w.stride, w.padding_low, w.padding_high, w.base_dilation,
                           w.window_dilation, int64_t{w.reversal}}) {
      out.push_back(number);
    }
  }
}

// The place of a node in the list, at its end if it is new.
int64_t PlaceOf(NodeId node, std::vector<NodeId>& nodes) {
  const auto found = std::find(nodes.begin(), nodes.end(), node);
  const int64_t place = found - nodes.begin();
  if (found == nodes.end()) nodes.push_back(node);
  return place;
}

}  // namespace

NodeId Follow(const NodePath& path, NodeId start, Scope& scope) {
  NodeId node = start;
  for (const NodePath::Step& step : path.steps) {
    const Scope::Memory& memory = scope.Numbered(step.scope).memory(node);
    node = step.is_window ? At(memory.windows, step.entry).result.input
                          : At(memory.reshards, step.entry).second.node;
  }
  return path.to_scalar ? scope.graph().operands(node)[0] : node;
}

NodeStates::State NodeStates::Of(NodeId node, Scope& scope) {
  if (Size(kept_) <= node) kept_.resize(static_cast<size_t>(graph_.size()) + 1);
  const uint32_t change = graph_.clusters().change(node);
  if (At(kept_, node).change != change) {
    At(kept_, node) = {OfCluster(node, scope), change};
  }
  return At(kept_, node).state;
}

void NodeStates::Set(NodeId node, State state) {
  if (Size(kept_) <= node) kept_.resize(static_cast<size_t>(graph_.size()) + 1);
  At(kept_, node) = {state, graph_.clusters().change(node)};
}

bool NodeStates::IsScalarBroadcast(NodeId node) const {
  return graph_.node(node).opcode == Opcode::kBroadcast &&
         graph_.shape(graph_.operands(node)[0]).rank() == 0;
}

NodeStates::State NodeStates::OfAlone(NodeId id) {
  const Node& node = graph_.node(id);
  const bool is_non_zero = node.opcode == Opcode::kConstant && node.element != 0;
  const uint64_t marks = uint64_t{node.unreduced} | uint64_t{node.in_tiles} << 1 |
                         uint64_t{node.in_tiles_by_operand} << 2 |
                         uint64_t{IsScalarBroadcast(id)} << 3 | uint64_t{is_non_zero} << 4 |
                         static_cast<uint64_t>(node.opcode) << 8;
  State& state = alone_[{node.shape, node.same_dims, marks}];
  if (state == 0) state = Next();
  return state;
}

NodeStates::State NodeStates::Known(const Numbers& numbers) {
  State& state = known_[numbers];
  if (state == 0) state = Next();
  return state;
}

int64_t NodeStates::NumberOf(const Tiling& tiling) {
  Numbers numbers;
  tiling.AppendNumbers(&numbers);
  return tilings_.try_emplace(std::move(numbers), Size(tilings_)).first->second;
}

void NodeStates::AppendValue(const Value& value, std::vector<NodeId>& nodes, Numbers& out) {
  // A scope that forgets is nobody else's.
  is_unique_ |= value.scope->number() == ScopeNumbers::kNone;
  out.push_back(PlaceOf(value.node, nodes));
  out.push_back(reinterpret_cast<intptr_t>(graph_.Kept(value.base)));
  out.push_back(NumberOf(value.tiling));
  out.push_back(value.scope->number());
}

void NodeStates::AppendMemory(const Scope& scope, NodeId node, std::vector<NodeId>& nodes,
                              Numbers& out) {
  const Scope::Memory& memory = scope.memory(node);
  out.push_back(scope.number());
  out.push_back(Size(memory.reshards));
  for (const auto& [target, value] : memory.reshards) {
    out.push_back(NumberOf(target));
    AppendValue(value, nodes, out);
  }
  out.push_back(Size(memory.windows));
  for (const Scope::Memory::Window& entry : memory.windows) {
    out.push_back(NumberOf(entry.target));
    Append(entry.window, out);
    out.push_back(PlaceOf(entry.result.input, nodes));
    Append(entry.result.window, out);
    out.push_back(int64_t{entry.result.slice_output});
  }
}

NodeStates::State NodeStates::OfCluster(NodeId node, Scope& scope) {
  if (scope.WhoRemembers(node).empty()) return OfAlone(node);
  is_unique_ = false;
  Numbers numbers;
  std::vector<NodeId> nodes = {node};
  for (int64_t i = 0; i < Size(nodes); ++i) {
    const NodeId at = At(nodes, i);
    numbers.push_back(OfAlone(at));
    const auto who = scope.WhoRemembers(at);
    numbers.push_back(Size(who));
    for (const Scope* remembering : who) AppendMemory(*remembering, at, nodes, numbers);
  }
  return is_unique_ ? Next() : Known(numbers);
}

std::vector<NodeStates::Reached> NodeStates::Reach(NodeId node, int32_t start, Scope& scope) const {
  std::vector<Reached> out = {{node, {start, {}, false}}};
  const auto add = [&out](NodeId to, NodePath path, NodePath::Step step) {
    const bool is_known =
        std::any_of(out.begin(), out.end(), [to](const Reached& r) { return r.node == to; });
    if (is_known) return;
    path.steps.push_back(step);
    out.push_back({to, std::move(path)});
  };
  for (int64_t i = 0; i < Size(out); ++i) {
    const Reached from = At(out, i);
    for (const Scope* who : scope.WhoRemembers(from.node)) {
      const Scope::Memory& memory = who->memory(from.node);
      for (int32_t k = 0; k < Size(memory.reshards); ++k) {
        add(At(memory.reshards, k).second.node, from.path, {who->number(), k, false});
      }
      for (int32_t k = 0; k < Size(memory.windows); ++k) {
        add(At(memory.windows, k).result.input, from.path, {who->number(), k, true});
      }
    }
  }
  for (int64_t i = 0, size = Size(out); i < size; ++i) {
    if (!IsScalarBroadcast(At(out, i).node)) continue;
    NodePath path = At(out, i).path;
    path.to_scalar = true;
    out.push_back({graph_.operands(At(out, i).node)[0], std::move(path)});
  }
  return out;
}

}  // namespace tessera::sharding::partition
