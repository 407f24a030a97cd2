// Which values slices and pads read from memory, on a TPU.
//
//   MovedReads reads(flow, &readers);
//   reads.FromMemory(node, readers_of_its_result);   // a reader cannot compute it where it moves it
//   reads.IsSlicedLater(v);                           // tanh(x) of slice(multiply(tanh(x), 30))
//
// Beside what MovesFromMemory() says, a pad reads what was computed from memory: so does every large pad in compiled steps.
// XLA moves a slice to the front of the elementwise operations that it alone reads. If others read the value
// before these, the slice takes it from memory, too: a soft cap of logits, whose backward pass reads the tanh. A
// kernel of a product then ends with the tanh. Cost: linear in the operations passed. Tested by moved_reads_test.cc.

#ifndef TESSERA_TARGET_FUSION_MOVED_READS_H_
#define TESSERA_TARGET_FUSION_MOVED_READS_H_

#include <vector>

#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/dataflow/readers.h"

namespace tessera::target {

class MovedReads {
 public:
  // The flow and the readers must outlive it.
  MovedReads(const Dataflow& flow, Readers* readers) : flow_(flow), readers_(*readers) {}

  // `readers` of a result of `node`; none is a root.
  bool FromMemory(const Node& node, const std::vector<Reader>& readers) const;
  // One of the readers of `v` starts a chain of elementwise operations, each with one reader, that ends in a slice.
  bool IsSlicedLater(ValueId v);
  // A slice without strides.
  bool IsPlainSlice(const Reader& r) const;

 private:
  bool EndsInSlice(Reader reader, ScopeId scope);

  const Dataflow& flow_;
  Readers& readers_;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_FUSION_MOVED_READS_H_
