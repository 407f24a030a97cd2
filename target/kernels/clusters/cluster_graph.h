// Clusters while they are made: who reads whom, and which are one.

#ifndef TESSERA_TARGET_KERNELS_CLUSTERS_CLUSTER_GRAPH_H_
#define TESSERA_TARGET_KERNELS_CLUSTERS_CLUSTER_GRAPH_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/target/kernels/roles.h"

namespace tessera::target {

using ClusterId = uint32_t;
inline constexpr ClusterId kNoCluster = 0xffffffffu;

// An instruction by its place in the order.
using Place = uint32_t;

struct ClusterNode {
  hlo::InstructionId id = hlo::kNoId;
  Role role = Role::kFree;
  double elements = 0;                         // of its array
  absl::InlinedVector<Place, 3> operands;      // in the computation
  absl::InlinedVector<Place, 3> users;         // once an operand
  absl::InlinedVector<ClusterId, 2> clusters;  // may have been joined since: ClusterGraph::Find
  bool is_written = false;
  ClusterId writer = kNoCluster;  // of its clusters the one that writes it; kNoCluster: any
  bool is_sliced = false;         // a kernel takes it in after a slice at a computed place
};

struct ClusterState {
  ClusterId joined = 0;  // itself, or the cluster that it is a part of
  double space = 0;      // elements that it runs over
  bool has_product = false;
  bool has_reduction = false;
  bool is_apart = false;       // AreScoresApart(): no product runs in it
  std::vector<Place> members;  // in no order, maybe twice
};

class ClusterGraph {
 public:
  ClusterGraph(const hlo::Module& module, const std::vector<hlo::InstructionId>& order);

  std::vector<ClusterNode>& nodes() { return nodes_; }
  const ClusterNode& node(Place p) const { return nodes_[p]; }
  ClusterState& cluster(ClusterId c) { return clusters_[c]; }
  size_t num_nodes() const { return nodes_.size(); }
  size_t num_clusters() const { return clusters_.size(); }

  ClusterId Find(ClusterId c);
  bool IsIn(Place p, ClusterId c);
  bool IsOnlyIn(Place p, ClusterId c);
  ClusterId New(Place p, double space);
  void Put(Place p, ClusterId c);
  // Out of all its clusters.
  void Leave(Place p);
  // `from` becomes a part of `into`.
  void Join(ClusterId from, ClusterId into);

  // Those of a node, each once.
  absl::InlinedVector<ClusterId, 4> ClustersOf(Place p);

  // Whether something that `from` writes is needed for `to`, at once or by other kernels. A walk
  // that takes long says yes.
  bool Needs(ClusterId to, ClusterId from);
  // The same, of paths over a third kernel.
  bool NeedsByOthers(ClusterId to, ClusterId from);

 private:
  // What a walk knows of a place. Members are marked once, so that no step of it asks for clusters.
  struct Mark {
    uint32_t walk = 0;  // that all of it is about
    bool is_from = false, is_to = false, is_seen = false;
  };

  bool Reaches(ClusterId from, ClusterId to, bool counts_direct);
  Mark& MarkOf(Place p);

  std::vector<ClusterNode> nodes_;
  std::vector<ClusterState> clusters_;
  std::vector<Mark> marks_;  // by Place
  uint32_t walk_ = 0;
  std::vector<Place> work_;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_CLUSTERS_CLUSTER_GRAPH_H_
