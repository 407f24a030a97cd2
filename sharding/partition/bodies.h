// The partitioned computations: one body for each computation and tilings of its arguments.
//
//   if (const auto known = bodies.Find(key)) return *known;
//   const int32_t body = bodies.Add(key, caller, parent);
//   bodies.SetRoot(body, node);     // once the computation is partitioned
//   bodies.Keep(body, send);        // a side effect: live without readers
//
// XLA: SpmdPartitioner::PartitionComputation, one HloComputation a body. Cost: linear in the bodies
// of one computation. Tested by partitioner_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_BODIES_H_
#define TESSERA_SHARDING_PARTITION_BODIES_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/sharding/partition/report.h"
#include "tessera/sharding/partition/tiling/leaf_lists.h"

namespace tessera::sharding::partition {

// The key of a body: role, computation, parameter tilings.
struct BodyKey {
  using Parameters = absl::InlinedVector<LeafLists::Id, 2>;

  Body::Role role;
  hlo::ComputationId computation;
  Parameters parameters;
  std::optional<LeafLists::Id> root;  // nothing: as written, its data replicated
};

class Bodies {
 public:
  // One that was added for a key that is equal but for the root, as XLA's partitioner looks it up.
  // A call gets the body of an earlier call with equal operands, whatever result either wants.
  std::optional<int32_t> Find(const BodyKey& key, const LeafLists& lists) const;
  const BodyKey& key(int32_t body) const { return At(keys_, body); }
  int32_t Add(const BodyKey& key, hlo::InstructionId caller, int32_t parent);
  void SetRoot(int32_t body, NodeId node) { At(nodes_, body).root = node; }
  // A side effect.
  void Keep(int32_t body, NodeId node) { At(nodes_, body).kept.push_back(node); }
  bool HasEffect(int32_t body) const { return !At(nodes_, body).kept.empty(); }

  const std::vector<BodyNodes>& nodes() const { return nodes_; }
  const std::vector<Body>& bodies() const { return bodies_; }
  std::vector<Body> Release() { return std::move(bodies_); }

 private:
  std::vector<Body> bodies_;
  std::vector<BodyKey> keys_;     // of each
  std::vector<BodyNodes> nodes_;  // likewise
  absl::flat_hash_map<hlo::ComputationId, absl::InlinedVector<int32_t, 2>> of_computation_;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_BODIES_H_
