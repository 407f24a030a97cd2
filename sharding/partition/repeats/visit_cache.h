// Replays the visits of repeated instructions.
//
//   VisitCache cache(graph, classes.size());
//   node = cache.Replay({class_id, leaves, operands, &scope}, values);
//   if (node != VisitCache::kNone) return node;
//   cache.BeginRecord();
//   node = ..;                      // the visit itself
//   cache.EndRecord(node);
//
// A network repeats a layer twenty to sixty times. The partitioner's result depends on the class of
// the instruction (instruction_classes.h), on the shardings of result and operands, and on the
// fingerprints of the operand nodes (node_fingerprints.h). If all of these equal those of an
// earlier visit, its record is copied: new nodes, cached reshards, marks (recorded_visit.h).
//
// Excluded are operations that read other instructions, and operands that reach the same node.
// Cost: a look-up, and the copy. visit_cache_test.cc compares the answers with and without the
// cache.

#ifndef TESSERA_SHARDING_PARTITION_REPEATS_VISIT_CACHE_H_
#define TESSERA_SHARDING_PARTITION_REPEATS_VISIT_CACHE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/repeats/instruction_classes.h"
#include "tessera/sharding/partition/repeats/recorded_visit.h"
#include "tessera/sharding/partition/reshard/node_fingerprints.h"
#include "tessera/sharding/partition/reshard/scope.h"
#include "tessera/sharding/partition/tiling/leaf_lists.h"
#include "tessera/sharding/partition/tiling/numbering.h"
#include "tessera/sharding/partition/values.h"

namespace tessera::sharding::partition {

// The facts that determine a visit.
struct VisitKey {
  InstructionClasses::Id class_id = 0;
  LeafLists::Id leaves = LeafLists::kEmpty;
  absl::Span<const hlo::InstructionId> operands;
  DeviceGroupScope* scope = nullptr;  // all devices, in the body
};

class VisitCache {
 public:
  VisitCache(Graph& graph, size_t classes)
      : graph_(graph), states_(graph), writer_(graph, states_), latest_(classes) {}

  // The node of the result of a visit that may repeat, if it did; else kNone.
  NodeId Replay(const VisitKey& key_parts, Values& values);
  static constexpr NodeId kNone = -1;
  // Records the visit whose key was looked up last, until EndRecord().
  void BeginRecord();
  void EndRecord(NodeId result);
  NodeFingerprints& states() { return states_; }

 private:
  // More operands are no layer's.
  static constexpr size_t kMaxOperands = 8;

  // The last two keys of a class, the later one first: numbers plus one; 0: none.
  struct Latest {
    uint32_t first = 0, second = 0;
  };
  bool ReadKey(const VisitKey& key_parts, Values& values);
  Numbering::Words Key() const { return {key_.data(), 1 + 2 * num_operands_}; }
  bool IsKey(Numbering::Words key, const VisitKey& key_parts, Values& values);
  bool IsApart(NodeId node) const;
  void FindKey(Latest& latest);
  NodeId Copy(const RecordedVisit& record);
  NodeId CopyDirectly(const RecordedVisit& record);
  void CopyMarks(const RecordedVisit& record);
  void CopyMemory(const RecordedVisit& record);
  NodeId Resolve(Ref ref) const { return ref < 0 ? At(before_, ~ref) : first_ + ref; }

  Graph& graph_;
  NodeFingerprints states_;
  VisitRecorder writer_;
  Numbering keys_;
  std::vector<Latest> latest_;          // by class
  std::vector<RecordedVisit> records_;  // by key

  // --- Of what was asked for last -------------------------------------------------------------
  bool is_new_ = false;
  DeviceGroupScope* scope_ = nullptr;
  size_t num_operands_ = 0;
  std::array<uint64_t, 1 + 2 * kMaxOperands> key_ = {};
  std::array<NodeId, kMaxOperands> nodes_ = {};  // of the operands
  NodeId first_ = 0;                             // of the record that is copied
  std::vector<NodeId> before_;                   // likewise
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_REPEATS_VISIT_CACHE_H_
