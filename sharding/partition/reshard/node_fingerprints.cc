// The fingerprint of a group is a list of words that starts at the node: its own facts, then its
// cached reshards, with other nodes numbered as they appear. Those nodes follow. Equal lists are
// equal fingerprints. Odd numbers stand for single nodes, even ones for groups.

#include "tessera/sharding/partition/reshard/node_fingerprints.h"

#include <algorithm>
#include <utility>

namespace tessera::sharding::partition {
namespace {

// The place of a node in the list, at its end if it is new.
uint32_t PlaceOf(NodeId node, std::vector<NodeId>& nodes) {
  const auto found = std::find(nodes.begin(), nodes.end(), node);
  const auto place = static_cast<uint32_t>(found - nodes.begin());
  if (found == nodes.end()) nodes.push_back(node);
  return place;
}

// Scopes without a shared number are left out.
template <typename Each>
void ForEachPublic(const ReshardCache& memory, NodeId node, Each each) {
  for (const ReshardCache::Entry& entry : memory.Of(node)) {
    if (!ScopeNumbers::IsPrivate(entry.scope)) each(entry);
  }
}

NodeId PublicEntry(const ReshardCache& memory, NodeId node, int32_t index) {
  NodeId found = -1;
  ForEachPublic(memory, node, [&](const ReshardCache::Entry& entry) {
    if (index-- == 0) found = entry.node;
  });
  return found;
}

}  // namespace

NodeId Follow(const NodePath& path, NodeId start, Graph& graph) {
  NodeId node = start;
  for (const int32_t step : path.steps) node = PublicEntry(graph.reshard_cache(), node, step);
  return path.to_scalar ? graph.operands(node)[0] : node;
}

NodeFingerprints::State NodeFingerprints::Alone(const Node& node, bool is_scalar_broadcast) {
  const bool is_non_zero = node.opcode == Opcode::kConstant && node.element != 0;
  const uint64_t marks = uint64_t{node.unreduced} | uint64_t{node.is_v1} << 1 |
                         uint64_t{node.is_v1_by_operand} << 2 | uint64_t{is_scalar_broadcast} << 3 |
                         uint64_t{is_non_zero} << 4 | static_cast<uint64_t>(node.opcode) << 8;
  const auto shape = reinterpret_cast<uintptr_t>(node.shape);
  return 2 * alone_.Of({shape, node.same_dims, marks}).number + 1;
}

NodeFingerprints::State NodeFingerprints::FindAlone(NodeId id) {
  const State state = Alone(graph_.node(id), graph_.IsScalarBroadcast(id));
  graph_.SetState(id, state);
  return state;
}

// For a node with cached reshards.
NodeFingerprints::State NodeFingerprints::OfKnown(NodeId node) {
  const State kept = graph_.fingerprint_groups().kept(node);
  return kept != 0 ? kept : OfCluster(node);
}

NodeFingerprints::State NodeFingerprints::OfCluster(NodeId node) {
  words_.clear();
  nodes_.assign(1, node);
  for (int64_t i = 0; i < Size(nodes_); ++i) {
    const NodeId at = At(nodes_, i);
    const size_t head = words_.size();
    words_.push_back(OfAlone(at));
    ForEachPublic(graph_.reshard_cache(), at, [this](const ReshardCache::Entry& entry) {
      words_.push_back(Pair(static_cast<uint32_t>(entry.scope), static_cast<uint32_t>(entry.form)));
      words_.push_back(PlaceOf(entry.node, nodes_));
    });
    words_[head] |= uint64_t{words_.size() - head} << 32;
  }
  const State state =
      words_.size() == 1 ? OfAlone(node) : 2 * fingerprint_groups_.Of(words_).number + 2;
  Set(node, state);
  return state;
}

void NodeFingerprints::Reach(NodeId node, int32_t start, std::vector<Reached>* all) const {
  std::vector<Reached>& out = *all;
  const int64_t first = Size(out);
  out.push_back({node, {start, {}, false}});
  for (int64_t i = first; i < Size(out); ++i) {
    if (!graph_.node(At(out, i).node).has_reshards) continue;
    const Reached from = At(out, i);
    int32_t step = 0;
    ForEachPublic(graph_.reshard_cache(), from.node, [&](const ReshardCache::Entry& entry) {
      const int32_t at = step++;
      const bool is_known = std::any_of(out.begin() + first, out.end(), [&entry](const Reached& r) {
        return r.node == entry.node;
      });
      if (is_known) return;
      NodePath path = from.path;
      path.steps.push_back(at);
      out.push_back({entry.node, std::move(path)});
    });
  }
  for (int64_t i = first, size = Size(out); i < size; ++i) {
    if (!graph_.IsScalarBroadcast(At(out, i).node)) continue;
    NodePath path = At(out, i).path;
    path.to_scalar = true;
    out.push_back({graph_.operands(At(out, i).node)[0], std::move(path)});
  }
}

}  // namespace tessera::sharding::partition
