// Groups of nodes that reach each other through cached reshards, and whether a node's fingerprint
// is still valid.
//
//   groups.Join(x, y);                   // x was resharded to y
//   groups.Keep(x, 7);
//   groups.kept(x);                      // 7
//   groups.Touch(y);
//   groups.kept(x);                      // 0: no longer valid
//
// A union-find forest: nearly constant time for each step. A node that was never touched or joined
// is alone.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_FINGERPRINT_GROUPS_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_FINGERPRINT_GROUPS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::sharding::partition {

class FingerprintGroups {
 public:
  // Room for so many nodes.
  void Reserve(size_t nodes) { sets_.reserve(nodes); }
  // The same for all nodes of a cluster, until it is joined with another one.
  int32_t Of(int32_t node) const {
    while (IsKnown(node) && set(node).parent != 0) node = set(node).parent - 1;
    return node;
  }
  // A number for the node, until any node of its cluster is touched or joined; then 0 again.
  uint32_t kept(int32_t node) const {
    if (!IsKnown(node)) return 0;
    return set(node).kept_change == set(Of(node)).change ? set(node).kept : 0;
  }
  void Keep(int32_t node, uint32_t number) {
    Know(node);
    set(node).kept = number;
    set(node).kept_change = set(Of(node)).change;
  }
  void Touch(int32_t node) {
    Know(node);
    set(Of(node)).change = ++changes_;
  }
  void Join(int32_t a, int32_t b) {
    a = Of(a);
    b = Of(b);
    Know(a < b ? b : a);
    // The older node stays: members are few, and added one by one.
    if (a != b) set(a < b ? b : a).parent = (a < b ? a : b) + 1;
    Touch(a);
  }

 private:
  // All zero for a node that is alone: many are made at once.
  struct Set {
    int32_t parent;        // plus one; 0: none, it stands for its cluster
    uint32_t change;       // of the cluster that it stands for
    uint32_t kept_change;  // when the number was kept
    uint32_t kept;
  };
  bool IsKnown(int32_t node) const { return static_cast<size_t>(node) < sets_.size(); }
  // Nodes up to this one, each alone.
  void Know(int32_t node) {
    if (!IsKnown(node)) sets_.resize(static_cast<size_t>(node) + 1);
  }
  Set& set(int32_t node) { return sets_[static_cast<size_t>(node)]; }
  const Set& set(int32_t node) const { return sets_[static_cast<size_t>(node)]; }

  std::vector<Set> sets_;
  uint32_t changes_ = 0;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_FINGERPRINT_GROUPS_H_
