// How late the values of a scope are read, and whether the sources of one are alive as long anyway.
//
//   LateReads reads(flow, &readers, bytes);
//   const NodeId last = reads.Last(scope, readers.Of(v));
//   reads.Span(node_of_v, last);              // products, messages and loops between the two
//   reads.SourcesStay(v, last, kept);
//
// Tested by kept_values_test.cc.

#ifndef TESSERA_TARGET_FUSION_LATE_READS_H_
#define TESSERA_TARGET_FUSION_LATE_READS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/dataflow/readers.h"
#include "tessera/target/fusion/kept_values.h"

namespace tessera::target {

class LateReads {
 public:
  // `bytes` by ValueId. The flow, the readers and the bytes must outlive it.
  LateReads(const Dataflow& flow, Readers* readers, absl::Span<const int64_t> bytes);

  // Of the nodes of the scope that read, the one whose operands are there last: gradients of weights stand at the end of
  // a module, but may run earlier. All readers are in the scope, none is its root.
  NodeId Last(ScopeId scope, const std::vector<Reader>& readers) const;
  int Span(NodeId from, NodeId to) const { return heavy_before_[to] - heavy_before_[from]; }
  // Every source of some size is read as late as `last` may run anyway. A wider one may be read a little sooner: a
  // backward pass reads the float32 exponentials of a softmax beside the product that reads the softmax.
  bool SourcesStay(ValueId v, NodeId last, const KeptValues& kept);

 private:
  void NumberNodes(const Scope& scope);
  // Of the products, messages and the like whose results it waits for, the last one.
  int ReadyPlace(const Node& node) const;
  // By a way that does not pass `without`, through values that have no memory.
  bool IsReadFrom(ValueId source, ValueId without, NodeId last, const KeptValues& kept);
  bool IsWider(ValueId a, ValueId b) const;

  const Dataflow& flow_;
  Readers& readers_;
  const absl::Span<const int64_t> bytes_;
  std::vector<int> place_;         // by NodeId: in its scope
  std::vector<int> ready_;         // likewise: the place after which it may run
  std::vector<int> heavy_before_;  // by NodeId: products, messages and loops of its scope
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_FUSION_LATE_READS_H_
