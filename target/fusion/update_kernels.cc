#include "tessera/target/fusion/update_kernels.h"

#include <algorithm>
#include <cstddef>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/target/dataflow/op_kinds.h"

namespace tessera::target {
namespace {

constexpr size_t kFar = 256;

class UpdateFinder {
 public:
  UpdateFinder(const Dataflow& flow, Readers* readers)
      : flow_(flow),
        readers_(*readers),
        update_of_(flow.nodes.size(), kNone),
        is_result_(flow.nodes.size()) {}

  std::vector<NodeId> Run() {
    for (const ValueId root : flow_.scopes[0].roots) {
      if (IsCellByCell(flow_.values[root].node)) is_result_[flow_.values[root].node] = true;
    }
    for (const ValueId root : flow_.scopes[0].roots) {
      const NodeId n = flow_.values[root].node;
      if (IsCellByCell(n) && update_of_[n] == kNone) FollowBack(n);
    }
    FindInside();
    return std::move(update_of_);
  }

 private:
  bool IsCellByCell(NodeId n) const {
    return n != kNone && flow_.nodes[n].scope == 0 &&
           KindOf(flow_.nodes[n].opcode) == OpKind::kElementwise;
  }

  bool AreOfOneSize(NodeId a, NodeId b) const {
    return flow_.values[flow_.nodes[a].results[0]].shape->NumElements() ==
           flow_.values[flow_.nodes[b].results[0]].shape->NumElements();
  }

  // To other results that it is computed of, also those that are in a kernel already, as of an average of weights.
  void FollowBack(NodeId weight) {
    absl::flat_hash_set<NodeId> seen = {weight};
    std::vector<NodeId> work = {weight};
    while (!work.empty() && seen.size() < kFar) {
      const NodeId n = work.back();
      work.pop_back();
      for (const ValueId v : flow_.nodes[n].operands) {
        const NodeId maker = flow_.values[v].node;
        if (!IsCellByCell(maker) || !AreOfOneSize(maker, weight) || !seen.insert(maker).second)
          continue;
        if (is_result_[maker]) update_of_[maker] = update_of_[weight] = weight;
        work.push_back(maker);
      }
    }
  }

  // What only nodes of one kernel read.
  void FindInside() {
    const std::vector<NodeId>& nodes = flow_.scopes[0].nodes;
    for (auto n = nodes.rbegin(); n != nodes.rend(); ++n) {
      if (!IsCellByCell(*n) || is_result_[*n]) continue;
      const std::vector<Reader>& found = readers_.Of(flow_.nodes[*n].results[0]);
      const NodeId update =
          found.empty() || found[0].node == kNone ? kNone : update_of_[found[0].node];
      const bool is_inside = update != kNone && absl::c_all_of(found, [&](const Reader& r) {
                               return r.node != kNone && update_of_[r.node] == update;
                             });
      if (is_inside) update_of_[*n] = update;
    }
  }

  const Dataflow& flow_;
  Readers& readers_;
  std::vector<NodeId> update_of_;  // by NodeId
  std::vector<bool> is_result_;    // likewise
};

}  // namespace

std::vector<NodeId> FindUpdates(const Dataflow& flow, Readers* readers) {
  return UpdateFinder(flow, readers).Run();
}

}  // namespace tessera::target
