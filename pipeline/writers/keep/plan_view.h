// One computation of a plan, seen as values and their users, whatever packs or copies them.
//
//   // %t = tuple(%a, %b)   %w = while(%t)
//   PlanView view(plan, index);
//   std::vector<NodeId> nodes;
//   view.AddOperands(view.Node(w), 2, &nodes);    // a, b: as far as the loop's parameter has them

#ifndef TESSERA_PIPELINE_WRITERS_KEEP_PLAN_VIEW_H_
#define TESSERA_PIPELINE_WRITERS_KEEP_PLAN_VIEW_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/graph/export_plan.h"

namespace tessera::pipeline::writers {

class PlanView {
 public:
  using NodeId = sharding::graph::NodeId;
  using PlanNode = sharding::graph::PlanNode;

  PlanView(const sharding::graph::ExportPlan& plan, int computation)
      : plan_(plan), target_(plan.computations[static_cast<size_t>(computation)]) {}

  size_t num_nodes() const { return target_.nodes.size(); }
  const PlanNode& Node(NodeId id) const { return target_.nodes[static_cast<size_t>(id)]; }

  // Copies, and changes of unreduced axes (with what pads for them): what may stand between a user
  // and its value.
  bool MayLieBetween(NodeId node) const;
  // What such a node is made from.
  NodeId Behind(NodeId node) const;

  // What the leaves of the operands of `user` became, in order; kNoNode for what is gone.
  // `num_leaves`: how many the module has.
  void AddOperands(const PlanNode& user, size_t num_leaves, std::vector<NodeId>* nodes) const;
  // The same for the computation's result.
  void AddResults(std::vector<NodeId>* nodes) const;

 private:
  const sharding::graph::PlanComputation& Called(const PlanNode& node, size_t i) const {
    return plan_.computations[static_cast<size_t>(node.called[i])];
  }
  void AddElements(NodeId packed, std::vector<NodeId>* elements) const;
  // Those elements that a parameter has.
  void AddPicked(absl::Span<const NodeId> elements, const sharding::graph::LeafMap& map,
                 std::vector<NodeId>* nodes) const;
  void AddPicked(NodeId packed, const sharding::graph::LeafMap& map,
                 std::vector<NodeId>* nodes) const;

  const sharding::graph::ExportPlan& plan_;
  const sharding::graph::PlanComputation& target_;
};

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_KEEP_PLAN_VIEW_H_
