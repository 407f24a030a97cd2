// Computations as they are run: once for each way in which their arguments lie.
//
//   if (const auto known = bodies.Find(wish)) return *known;
//   const int32_t body = bodies.Add(wish, caller, parent);
//   bodies.SetRoot(body, node);     // when all of it is done
//   bodies.Keep(body, send);        // it is needed whoever reads it
//
// Linear in the bodies of a computation, which are few. Tested by partitioner_test.cc.

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

// What a call wants of a computation.
struct Wish {
  using Parameters = absl::InlinedVector<LeafLists::Id, 2>;

  Body::Role role;
  hlo::ComputationId computation;
  Parameters parameters;
  std::optional<LeafLists::Id> root;  // nothing: as written, its data replicated
};

class Bodies {
 public:
  explicit Bodies(const LeafLists& lists) : lists_(lists) {}

  // One that was added for a wish that is equal but for the root, as XLA's partitioner looks it up:
  // a call gets the body of an earlier call with equal operands, whatever result either wants.
  std::optional<int32_t> Find(const Wish& wish) const;
  const Wish& wish(int32_t body) const { return At(wishes_, body); }
  int32_t Add(const Wish& wish, hlo::InstructionId caller, int32_t parent);
  void SetRoot(int32_t body, NodeId node) { At(nodes_, body).root = node; }
  // A side effect.
  void Keep(int32_t body, NodeId node) { At(nodes_, body).kept.push_back(node); }
  bool HasEffect(int32_t body) const { return !At(nodes_, body).kept.empty(); }

  const std::vector<BodyNodes>& nodes() const { return nodes_; }
  const std::vector<Body>& bodies() const { return bodies_; }
  std::vector<Body> Release() { return std::move(bodies_); }

 private:
  const LeafLists& lists_;
  std::vector<Body> bodies_;
  std::vector<Wish> wishes_;      // of each
  std::vector<BodyNodes> nodes_;  // likewise
  absl::flat_hash_map<hlo::ComputationId, absl::InlinedVector<int32_t, 2>> of_computation_;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_BODIES_H_
