// One computation in the form of HLO, seen as values and their users, whatever packs or copies them.
//
//   // %t = tuple(%a, %b)   %w = while(%t)
//   FormView view(form, index);
//   std::vector<NodeId> nodes;
//   view.AddOperands(view.Node(w), 2, &nodes);    // a, b: as far as the loop's parameter has them

#ifndef TESSERA_PIPELINE_WRITERS_KEEP_FORM_VIEW_H_
#define TESSERA_PIPELINE_WRITERS_KEEP_FORM_VIEW_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/passes/emit/hlo_form.h"

namespace tessera::pipeline::writers {

class FormView {
 public:
  using NodeId = sharding::passes::NodeId;
  using HloNode = sharding::passes::HloNode;

  FormView(const sharding::passes::HloForm& form, int computation)
      : form_(form), target_(form.computations[static_cast<size_t>(computation)]) {}

  size_t num_nodes() const { return target_.nodes.size(); }
  HloNode Node(NodeId id) const { return target_.node(id); }

  // Copies, and changes of unreduced axes (with what pads for them): what may stand between a user
  // and its value.
  bool MayLieBetween(NodeId node) const;
  // The source of such a node.
  NodeId SourceOf(NodeId node) const;

  // The nodes of the leaves of the operands of `user`, in order; kNoNode for a leaf that is gone.
  // `num_leaves`: how many the module has.
  void AddOperands(const HloNode& user, size_t num_leaves, std::vector<NodeId>* nodes) const;
  // The same for the computation's result.
  void AddResults(std::vector<NodeId>* nodes) const;

 private:
  const sharding::passes::HloComputation& Called(const HloNode& node, size_t i) const {
    return form_.computations[static_cast<size_t>(node.called()[i])];
  }
  void AddElements(NodeId packed, std::vector<NodeId>* elements) const;
  // Those elements that a parameter has.
  void AddPicked(absl::Span<const NodeId> elements, const sharding::passes::LeafMap& map,
                 std::vector<NodeId>* nodes) const;
  void AddPicked(NodeId packed, const sharding::passes::LeafMap& map,
                 std::vector<NodeId>* nodes) const;

  const sharding::passes::HloForm& form_;
  const sharding::passes::HloComputation& target_;
};

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_KEEP_FORM_VIEW_H_
