#include "tessera/target/kernels/clusters/cluster_graph.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/target/kernels/products/registers.h"

namespace tessera::target {
namespace {

// Beyond it two clusters stay apart.
constexpr int kLongestWalk = 2000;

}  // namespace

ClusterGraph::ClusterGraph(const hlo::Module& module, const std::vector<hlo::InstructionId>& order)
    : nodes_(order.size()), marks_(order.size()) {
  absl::flat_hash_map<hlo::InstructionId, Place> places;
  places.reserve(order.size());
  for (Place p = 0; p < order.size(); ++p) {
    ClusterNode& node = nodes_[p];
    node.id = order[p];
    node.role = RoleOf(module, node.id);
    node.elements = Elements(module.shape(node.id));
    for (const hlo::InstructionId operand : module.operands(node.id)) {
      const auto it = places.find(operand);
      if (it == places.end()) continue;
      node.operands.push_back(it->second);
      nodes_[it->second].users.push_back(p);
    }
    places.emplace(node.id, p);
  }
}

ClusterId ClusterGraph::Find(ClusterId c) {
  while (clusters_[c].joined != c) {
    clusters_[c].joined = clusters_[clusters_[c].joined].joined;
    c = clusters_[c].joined;
  }
  return c;
}

bool ClusterGraph::IsIn(Place p, ClusterId c) {
  return absl::c_any_of(nodes_[p].clusters, [&](ClusterId of) { return Find(of) == c; });
}

bool ClusterGraph::IsOnlyIn(Place p, ClusterId c) {
  return !nodes_[p].clusters.empty() &&
         absl::c_all_of(nodes_[p].clusters, [&](ClusterId of) { return Find(of) == c; });
}

ClusterId ClusterGraph::New(Place p, double space) {
  const ClusterId c = static_cast<ClusterId>(clusters_.size());
  clusters_.push_back({c, space, false, false, false, {}});
  Put(p, c);
  return c;
}

void ClusterGraph::Put(Place p, ClusterId c) {
  nodes_[p].clusters.push_back(c);
  ClusterState& state = clusters_[c];
  state.members.push_back(p);
  state.has_product |= nodes_[p].role == Role::kProduct;
  state.has_reduction |= nodes_[p].role == Role::kReduction;
}

void ClusterGraph::Leave(Place p) {
  for (const ClusterId c : ClustersOf(p)) {
    std::vector<Place>& members = clusters_[c].members;
    members.erase(std::remove(members.begin(), members.end(), p), members.end());
  }
  nodes_[p].clusters.clear();
}

void ClusterGraph::Join(ClusterId from, ClusterId into) {
  if (from == into) return;
  ClusterState& a = clusters_[from];
  ClusterState& b = clusters_[into];
  if (a.members.size() > b.members.size()) std::swap(a.members, b.members);
  b.members.insert(b.members.end(), a.members.begin(), a.members.end());
  a.members.clear();
  b.has_product |= a.has_product;
  b.has_reduction |= a.has_reduction;
  b.is_apart |= a.is_apart;
  a.joined = into;
}

absl::InlinedVector<ClusterId, 4> ClusterGraph::ClustersOf(Place p) {
  absl::InlinedVector<ClusterId, 4> all;
  for (const ClusterId of : nodes_[p].clusters) {
    const ClusterId c = Find(of);
    if (!absl::c_linear_search(all, c)) all.push_back(c);
  }
  return all;
}

bool ClusterGraph::Needs(ClusterId to, ClusterId from) { return Reaches(from, to, true); }
bool ClusterGraph::NeedsByOthers(ClusterId to, ClusterId from) { return Reaches(from, to, false); }

ClusterGraph::Mark& ClusterGraph::MarkOf(Place p) {
  Mark& mark = marks_[p];
  if (mark.walk != walk_) mark = {walk_, false, false, false};
  return mark;
}

bool ClusterGraph::Reaches(ClusterId from, ClusterId to, bool counts_direct) {
  ++walk_;
  Place last = 0;
  for (const Place p : clusters_[to].members) {
    last = std::max(last, p);
    MarkOf(p).is_to = true;
  }
  for (const Place p : clusters_[from].members) MarkOf(p).is_from = true;
  work_.clear();
  const auto visit = [&](Place user, Mark& mark) {
    if (user <= last && !std::exchange(mark.is_seen, true)) work_.push_back(user);
  };
  for (const Place p : clusters_[from].members) {
    if (!nodes_[p].is_written) continue;
    for (const Place user : nodes_[p].users) {
      Mark& mark = MarkOf(user);
      if (mark.is_from) continue;
      if (!mark.is_to) {
        visit(user, mark);
      } else if (counts_direct) {
        return true;
      }
    }
  }
  for (size_t k = 0; k < work_.size(); ++k) {
    if (k > kLongestWalk || MarkOf(work_[k]).is_to) return true;
    for (const Place user : nodes_[work_[k]].users) visit(user, MarkOf(user));
  }
  return false;
}

}  // namespace tessera::target
