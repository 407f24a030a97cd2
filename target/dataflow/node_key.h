// When two nodes of a scope are one: XLA's common subexpression elimination, on a Dataflow.
//
//   EqualNodes equal(flow, keys);
//   NodeId first = equal.FindOrAdd(node);     // `node`, or an earlier one that computes the same
//
// The same opcode, operands, shape, literal, called computations, and attributes but for metadata and
// channels. Instructions that draw random numbers, talk to others or are opaque are never the same.

#ifndef TESSERA_TARGET_DATAFLOW_NODE_KEY_H_
#define TESSERA_TARGET_DATAFLOW_NODE_KEY_H_

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/target/dataflow/dataflow.h"

namespace tessera::target {

// What instructions say beside their operands, as one number each. Instructions share a number where
// they say the same. Linear in the texts of attributes.
class InstructionKeys {
 public:
  InstructionKeys(const hlo::Module& module, EqualGathers gathers)
      : module_(module), gathers_(gathers) {}

  size_t Of(hlo::InstructionId id);

 private:
  size_t Make(hlo::InstructionId id);
  size_t OfComputation(hlo::ComputationId id);

  const hlo::Module& module_;
  const EqualGathers gathers_;
  std::vector<size_t> keys_;          // by InstructionId; 0: not looked at
  std::vector<size_t> computations_;  // by ComputationId; 0: not looked at
};

class EqualNodes {
 public:
  EqualNodes(const Dataflow& flow, InstructionKeys* keys) : flow_(flow), keys_(*keys) {}

  NodeId FindOrAdd(NodeId node);

 private:
  const Dataflow& flow_;
  InstructionKeys& keys_;
  absl::flat_hash_map<size_t, absl::InlinedVector<NodeId, 1>> nodes_;  // by hash
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_DATAFLOW_NODE_KEY_H_
