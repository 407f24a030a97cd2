// The walk that makes a Dataflow: it follows calls, takes tuples apart, and merges equal nodes.
//
// Loops are settled as soon as their body is known, inner ones first (loop_elements.cc).

#ifndef TESSERA_TARGET_DATAFLOW_INSTANTIATE_H_
#define TESSERA_TARGET_DATAFLOW_INSTANTIATE_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/order.h"
#include "tessera/hlo/side_effects.h"
#include "tessera/layout/leaves.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/dataflow/node_key.h"

namespace tessera::target {

class Instantiation {
 public:
  Instantiation(const hlo::Module& module, EqualGathers gathers);

  // Once. The module has passed hlo::CheckNesting() and CheckUnfolded().
  Dataflow Run();

 private:
  using Leaves = ValueList;
  struct Frame {  // a computation that is entered
    ScopeId scope = kNone;
    EqualNodes* equal = nullptr;
    const std::vector<Leaves>* arguments = nullptr;  // by parameter; null: the entry
    absl::flat_hash_map<hlo::InstructionId, Leaves> leaves;
  };

  Leaves Enter(hlo::ComputationId c, ScopeId scope, EqualNodes* equal,
               const std::vector<Leaves>* arguments);
  Leaves Visit(hlo::InstructionId id, Frame* frame);
  Leaves AllOperands(hlo::InstructionId id, const Frame& frame) const;
  Leaves Choose(hlo::InstructionId id, Frame* frame);
  Leaves Element(hlo::InstructionId id, const Frame& frame);
  Leaves Call(hlo::InstructionId id, Frame* frame);
  Leaves Loop(hlo::InstructionId id, Frame* frame);
  Leaves Branches(hlo::InstructionId id, Frame* frame);
  Leaves Compute(hlo::InstructionId id, Leaves operands, Frame* frame);

  ScopeId AddScope(NodeId owner, ScopeId parent);
  // A node with a value for each leaf of the instruction's shape; in no list yet.
  NodeId AddNode(hlo::InstructionId id, ScopeId scope);
  ValueId AddValue(Value value);
  // The value that `v` is the same as.
  ValueId Find(ValueId v);
  void Replace(Leaves* leaves);

  // loop_elements.cc
  void SettleLoop(NodeId loop, int depth);
  bool FindInvariants(NodeId loop);
  void MergeEqual(ScopeId scope, int depth);
  void SortArguments();
  void RemoveDead();
  void KeepLiveElements(Node* node, const std::vector<bool>& live);

  const hlo::Module& module_;
  hlo::SideEffects effects_;
  hlo::PostOrderWalk order_;
  layout::LeafNumbers numbers_;
  InstructionKeys keys_;
  Dataflow flow_;
  std::vector<ValueId> same_;  // by ValueId: an earlier value, or itself
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_DATAFLOW_INSTANTIATE_H_
