// Records a visit, so that it can be replayed on other nodes.
//
//   VisitRecorder writer(graph, states);
//   writer.Begin(scope);
//   writer.Reach(place, operand);       // each operand
//   node = ..;                          // the visit itself
//   RecordedVisit record = writer.End(node);
//   writer.pools().operands ..          // parts of a record are ranges of these pools
//
// A Ref names a node: a new node by its number, an older one by the path from the operands to it
// (node_fingerprints.h). Nodes that nothing reaches are left out. Records are many and small, so
// they share pools. Tested by visit_cache_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_REPEATS_RECORDED_VISIT_H_
#define TESSERA_SHARDING_PARTITION_REPEATS_RECORDED_VISIT_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/partition/reshard/node_fingerprints.h"
#include "tessera/sharding/partition/reshard/scope.h"

namespace tessera::sharding::partition {

// A node: of the record (its index), or one of before (~ its index in `before`).
using Ref = int32_t;

// A new node: that of the visit, with the marks that it had then.
struct RecordedNode {
  NodeId model = -1;
  uint32_t operands = 0;  // where they begin in the pool
  NodeMarks marks;
};

struct RecordPools {
  std::vector<RecordedNode> nodes;
  std::vector<Ref> operands;
  std::vector<NodePath> before;                // nodes that were there, from the operands on
  std::vector<DeviceGroupScope::Line> memory;  // nodes are Refs
  std::vector<std::pair<Ref, NodeMarks>> marked;
  // The states after the visit, of nodes with remembered reshards.
  std::vector<std::pair<Ref, NodeFingerprints::State>> states;

  template <typename T>
  static absl::Span<const T> Part(const std::vector<T>& pool, hlo::PoolRange range) {
    return absl::MakeConstSpan(pool.data() + range.begin, range.size);
  }
};

struct RecordedVisit {
  bool is_known = false;  // else it used what cannot be found again
  // One new node whose operands are operands of the visit; its refs are ~ their place.
  bool is_direct = false;
  bool touches = false;  // anything but new nodes: what stands after `before`
  Ref result = 0;
  hlo::PoolRange nodes, before, memory, marked, states;  // of the pools
};

class VisitRecorder {
 public:
  VisitRecorder(Graph& graph, NodeFingerprints& states) : graph_(graph), states_(states) {}

  void Begin(DeviceGroupScope& scope);
  // An operand; each node once, with its place among the operands.
  void Reach(int32_t place, NodeId operand);
  RecordedVisit End(NodeId result);
  const RecordPools& pools() const { return pools_; }

 private:
  void Need(NodeId id);
  void NumberNodes(NodeId result);
  Ref RefOf(NodeId id);
  void WriteMarked();
  void WriteMemory();
  void WriteNodes();
  void WriteStates(NodeId result);
  bool IsDirect(const RecordedVisit& out) const;
  void NameByPlace(const RecordedVisit& direct);

  Graph& graph_;
  NodeFingerprints& states_;
  DeviceGroupScope* scope_ = nullptr;
  NodeId first_ = 0;  // of the visit
  std::vector<NodeId> operands_;
  std::vector<DeviceGroupScope::Line> journal_;
  std::vector<NodeId> marked_;
  std::vector<NodeFingerprints::Reached> reached_;

  RecordPools pools_;
  std::vector<int32_t> index_;  // of new nodes; -1: left out
  std::vector<NodeId> before_;
  bool is_good_ = true;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_REPEATS_RECORDED_VISIT_H_
