// Loops in the shape of HLO.
//
// A loop of the graph reads outer values where it likes. In HLO it carries them: the state is a
// tuple of what changes, then of what is captured, in order of first use; what an inner region uses
// comes before the operands of its op. A tuple of one element is that element.
//
//   graph   r = while(x) { .. uses w .. }      HLO   t = tuple(x, w); s = while(t); r = s#0

#include <utility>
#include <vector>

#include "tessera/sharding/graph/plan/plan_builder.h"
#include "tessera/sharding/graph/plan/regions/plan_captures.h"

namespace tessera::sharding::graph {

using hlo::Opcode;

struct PlanBuilder::LoopState {
  const Op* op;
  std::vector<Value*> captured;
  std::vector<NodeId> elements;  // what changes, then what is captured
  std::vector<PlanSharding> shardings;

  size_t num_carried() const { return static_cast<size_t>(op->num_results()); }
  bool is_tuple() const { return elements.size() != 1; }
};

PlanBuilder::LoopState PlanBuilder::StateOf(const Frame& frame, const Op* op) {
  LoopState state = {op, CapturedBy(op), NodesOf(frame, op), ControlShardings(frame, op)};
  for (const Value* value : state.captured) {
    state.elements.push_back(NodeOf(frame, value));
    const PlanSharding own = NodeAt(frame, state.elements.back()).sharding;
    state.shardings.push_back(own == kNoPlanSharding ? plan_.shardings.Replicated() : own);
  }
  return state;
}

void PlanBuilder::AddWhile(Frame& frame, Op* op) {
  const LoopState state = StateOf(frame, op);
  PlanNode node;
  node.opcode = Opcode::kWhile;
  node.like_source = true;
  node.source = op->source;
  node.operands = plan_.Keep({Pack(frame, state.elements, state.shardings)});
  node.shape = ShapeOf(frame, node.operands[0]);
  node.sharding = OneOrTuple(state.shardings, state.is_tuple());
  const int condition = LoopRegion(frame, op->blocks()[0], state);
  const int body = LoopRegion(frame, op->blocks()[1], state);
  node.called = plan_.Keep({body, condition});
  for (int id : node.called) {
    PlanComputation& region = plan_.computations[static_cast<size_t>(id)];
    node.has_effect |= region.has_effect;
    SetLoopLeaves(region, state);
  }
  const NodeId id = Add(frame, node);
  BindResults(frame, op, id, state.shardings);
}

void PlanBuilder::SetLoopLeaves(PlanComputation& region, const LoopState& state) {
  const std::vector<int>& leaves = state.op->As<LoopInfo>()->leaves;
  LeafMap map(LeavesOf(graph_.module(), graph_.module().operands(state.op->source)[0]), -1);
  for (size_t k = 0; k < leaves.size(); ++k)
    map[static_cast<size_t>(leaves[k])] = static_cast<int>(k);
  region.parameter_leaves = {std::move(map)};
  region.num_carried = state.op->num_results();
}

std::vector<NodeId> PlanBuilder::UnpackParameter(Frame& inner, std::vector<layout::Shape> elements,
                                                 const std::vector<PlanSharding>& shardings,
                                                 const std::vector<PlanSharding>& own) {
  const size_t count = elements.size();
  const layout::Shape* shape =
      count == 1 ? graph_.KeepShape(std::move(elements[0])) : KeepTuple(std::move(elements));
  const NodeId parameter = AddParameter(inner, shape, OneOrTuple(shardings, count != 1));
  if (count == 1) return {parameter};
  std::vector<NodeId> nodes;
  for (size_t i = 0; i < count; ++i) {
    nodes.push_back(AddElement(inner, parameter, static_cast<int64_t>(i), own[i]));
  }
  return nodes;
}

int PlanBuilder::LoopRegion(Frame& frame, Block* block, const LoopState& state) {
  const size_t num_carried = state.num_carried();
  std::vector<layout::Shape> shapes;
  std::vector<PlanSharding> own;  // inside: a captured value without sharding has none
  shapes.reserve(state.elements.size());
  for (size_t i = 0; i < state.elements.size(); ++i) {
    const PlanNode& element = NodeAt(frame, state.elements[i]);
    shapes.push_back(*element.shape);
    own.push_back(i < num_carried ? state.shardings[i] : element.sharding);
  }
  Frame inner;
  inner.manual = frame.manual;
  inner.computation = NewComputation("region", block->source);
  Reserve(inner, block);
  const std::vector<NodeId> places =
      UnpackParameter(inner, std::move(shapes), state.shardings, own);
  for (Value* arg : block->args) Bind(arg, places[static_cast<size_t>(arg->index())]);
  for (size_t i = 0; i < state.captured.size(); ++i) {
    inner.captured[state.captured[i]] = places[num_carried + i];
  }
  AddOps(inner, block);
  At(inner).is_region = true;
  At(inner).is_loop_body = block->region == 1;
  if (At(inner).is_loop_body) {
    AddRoot(inner, block, state.shardings, {places.begin() + num_carried, places.end()});
  } else {
    AddRoot(inner, block, {});
  }
  CloseComputation(inner);
  return inner.computation;
}

}  // namespace tessera::sharding::graph
