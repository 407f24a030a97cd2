// Infeed and outfeed in the shape of HLO. Both hold their data in a tuple of its own, as flat as
// the ops of the graph are:
//
//   graph   v, w, t = infeed(s)      HLO   i = ((v, w), token[]) infeed(s); d = i#0; v = d#0; ..
//   graph   t = outfeed(v, w, s)     HLO   d = tuple(v, w); t = outfeed(d, s)
//
// What propagation leaves without a sharding keeps the `sharding=` that the module gives it.

#include <algorithm>
#include <utility>

#include "tessera/layout/shape_text.h"
#include "tessera/sharding/graph/plan/plan_builder.h"
#include "tessera/sharding/graph/plan/plan_layouts.h"
#include "tessera/sharding/hlo_sharding_text.h"

namespace tessera::sharding::graph {

using hlo::AttributeName;
using hlo::Opcode;
using layout::Shape;

// None if there is none, or one that reads as none.
PlanSharding PlanBuilder::GivenText(hlo::InstructionId source) {
  const auto text = graph_.module().FindAttribute(source, AttributeName::kSharding);
  if (!text.has_value()) return kNoPlanSharding;
  const auto sharding = ParseHloSharding(std::string(*text));
  if (!sharding.ok()) return kNoPlanSharding;
  if (!sharding->IsTuple()) return plan_.shardings.Add(*sharding);
  std::vector<PlanSharding> leaves;
  for (const HloSharding& leaf : sharding->elements()) leaves.push_back(plan_.shardings.Add(leaf));
  return plan_.shardings.Tuple(leaves);
}

void PlanBuilder::FinishInfeed(Frame& frame, const Op* op, NodeId id) {
  const size_t num_data = op->results.size() - 1;
  PlanSharding all = plan_.shardings.Tuple(ResultTexts(frame, op));
  if (all == kNoPlanSharding) all = GivenText(op->source);
  std::vector<Shape> shapes;
  std::vector<PlanSharding> shardings;
  for (size_t i = 0; i < num_data; ++i) {
    shapes.push_back(op->results[i].shape());
    shardings.push_back(plan_.shardings.Leaf(all, i));
  }
  PlanNode& node = NodeAt(frame, id);
  node.shape = graph_.KeepShape(
      Shape::Tuple({Shape::Tuple(std::move(shapes)), op->results[num_data].shape()}));
  node.sharding = all;
  const NodeId data = AddElement(frame, id, 0, plan_.shardings.Tuple(shardings));
  for (size_t i = 0; i < num_data; ++i) {
    const NodeId element = AddElement(frame, data, static_cast<int64_t>(i), shardings[i]);
    // Users take the element for one in the default layout.
    const Shape* own = ShapeOf(frame, element);
    NodeAt(frame, element).shape = RowMajor(own);
    fed_.push_back({frame.computation, element, own});
    Bind(op->result(static_cast<int>(i)), element);
  }
  Bind(op->result(static_cast<int>(num_data)),
       AddElement(frame, id, 1, plan_.shardings.Leaf(all, num_data)));
}

// Once nobody looks at them any more, elements get the layouts that their infeeds give them.
void PlanBuilder::LayOutFed() {
  for (const Fed& fed : fed_) {
    PlanComputation& c = plan_.computations[static_cast<size_t>(fed.computation)];
    c.nodes[static_cast<size_t>(fed.element)].shape = fed.shape;
  }
}

void PlanBuilder::AddOutfeed(Frame& frame, Op* op) {
  std::vector<NodeId> data = NodesOf(frame, op);
  const NodeId token = data.back();
  data.pop_back();
  std::vector<PlanSharding> shardings;
  for (NodeId node : data) shardings.push_back(NodeAt(frame, node).sharding);
  const NodeId packed = AddTuple(frame, data, plan_.shardings.Tuple(shardings));
  PlanNode node;
  node.opcode = Opcode::kOutfeed;
  node.like_source = true;
  node.has_effect = true;
  node.source = op->source;
  node.operands = plan_.Keep({packed, token});
  node.shape = &op->result()->shape();
  node.sharding = Text(frame, op->result());
  if (node.sharding == kNoPlanSharding) node.sharding = GivenText(op->source);
  const Shape& written = graph_.module().shape(graph_.module().operands(op->source)[0]);
  const bool is_flat =
      written.is_tuple() &&
      std::none_of(written.tuple_elements().begin(), written.tuple_elements().end(),
                   [](const Shape& element) { return element.is_tuple(); });
  if (!is_flat) {
    const std::string shape = layout::ShapeToString(*ShapeOf(frame, packed));
    node.own = plan_.Keep({{{AttributeName::kOutfeedShape, shape}}, ""});
  }
  Bind(op->result(), Add(frame, node));
}

}  // namespace tessera::sharding::graph
