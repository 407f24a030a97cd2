// Loops, branches, calls and barriers in the shape of HLO.
//
// A loop of the graph reads outer values where it likes. In HLO it carries them: the state is a
// tuple of what changes, then of what is captured, in order of first use; what an inner region uses
// comes before the operands of its op. A branch gets a tuple of what it captures. A tuple of one
// element is that element.
//
//   graph   r = while(x) { .. uses w .. }      HLO   t = tuple(x, w); s = while(t); r = s#0

#include "absl/container/flat_hash_set.h"
#include "tessera/sharding/graph/plan_builder.h"
#include "tessera/sharding/graph/walk.h"

namespace tessera::sharding::graph {
namespace {

using hlo::Opcode;

void AddCaptured(Block* block, const Op* limit, absl::flat_hash_set<const Value*>* seen,
                 std::vector<Value*>* captured) {
  ForEachOpPostOrder(block, [&](Op* op) {
    for (int i = 0; i < op->num_operands(); ++i) {
      Value* value = op->operand(i);
      const Block* home = value->def() != nullptr ? value->def()->block : value->owner();
      const bool inside = limit != nullptr ? IsInsideOp(home, limit) : IsInside(home, block);
      if (!inside && seen->insert(value).second) captured->push_back(value);
    }
  });
}

bool IsReshard(const Op* op) {
  return op->kind == OpKind::kReshard || op->kind == OpKind::kAllReduce ||
         op->kind == OpKind::kReplicatedToUnreduced || op->kind == OpKind::kShardedToUnreduced;
}

// The value behind reshards and changes of unreduced axes.
const Value* BehindReshards(const Value* value) {
  while (value->def() != nullptr && IsReshard(value->def())) value = value->def()->operand(0);
  return value;
}

bool IsCloneOf(const Value* value, hlo::InstructionId original) {
  const Op* op = BehindReshards(value)->def();
  return op != nullptr && op->source == original && original != hlo::kNoId && op->is_clone;
}

// The instruction that leaf `leaf` of `id` names: an operand of a tuple of arrays, or kNoId.
hlo::InstructionId LeafSource(const hlo::Module& module, hlo::InstructionId id, size_t leaf) {
  if (module.instruction(id).opcode != Opcode::kTuple) return hlo::kNoId;
  const auto operands = module.operands(id);
  for (hlo::InstructionId operand : operands) {
    if (module.shape(operand).is_tuple()) return hlo::kNoId;
  }
  return leaf < operands.size() ? operands[leaf] : hlo::kNoId;
}

// The place of the last copy of a constant expression that was split among its users, or -1. The
// loop of the module has room for one of them.
int PlaceOfClone(const std::vector<Value*>& list, hlo::InstructionId original) {
  for (size_t i = list.size(); i-- > 0;) {
    if (IsCloneOf(list[i], original)) return static_cast<int>(i);
  }
  return -1;
}

// The place of `value` in `list`, else that of a reshard of it, else -1.
int PlaceOf(const std::vector<Value*>& list, const Value* value) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] == value) return static_cast<int>(i);
  }
  for (size_t i = 0; i < list.size(); ++i) {
    if (BehindReshards(list[i]) == BehindReshards(value)) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

std::vector<Value*> CapturedBy(const Op* op) {
  absl::flat_hash_set<const Value*> seen;
  std::vector<Value*> captured;
  for (Block* block : op->blocks) AddCaptured(block, op, &seen, &captured);
  return captured;
}

std::vector<Value*> CapturedBy(Block* block) {
  absl::flat_hash_set<const Value*> seen;
  std::vector<Value*> captured;
  AddCaptured(block, nullptr, &seen, &captured);
  return captured;
}

void PlanBuilder::AddWhile(Frame& frame, Op* op) {
  const std::vector<Value*> captured = CapturedBy(op);
  std::vector<NodeId> elements = NodesOf(frame, op);
  std::vector<PlanSharding> shardings = ControlShardings(frame, op);
  for (const Value* value : captured) {
    elements.push_back(NodeOf(frame, value));
    const PlanSharding own = NodeAt(frame, elements.back()).sharding;
    shardings.push_back(own == kNoPlanSharding ? plan_.shardings.Replicated() : own);
  }
  PlanNode node;
  node.opcode = Opcode::kWhile;
  node.like_source = true;
  node.source = op->source;
  node.operands = {Pack(frame, elements, shardings)};
  node.shape = ShapeOf(frame, node.operands[0]);
  node.sharding = OneOrTuple(shardings, elements.size() != 1);
  const int condition = LoopRegion(frame, op->blocks[0], elements, op, shardings, captured);
  const int body = LoopRegion(frame, op->blocks[1], elements, op, shardings, captured);
  node.called = {body, condition};
  for (int region : node.called) {
    node.has_effect |= plan_.computations[static_cast<size_t>(region)].has_effect;
  }
  const NodeId id = Add(frame, std::move(node));
  BindResults(frame, op, id, shardings);
  for (int region : {condition, body}) {
    SetLoopLeaves(plan_.computations[static_cast<size_t>(region)], op, captured);
  }
}

void PlanBuilder::SetLoopLeaves(PlanComputation& region, const Op* loop,
                                const std::vector<Value*>& captured) {
  const LoopInfo& info = *loop->As<LoopInfo>();
  LeafMap map(info.leaves.size() + info.invariants.size(), -1);
  region.leaf_constants.assign(map.size(), hlo::kNoId);
  for (size_t k = 0; k < info.leaves.size(); ++k) {
    map[static_cast<size_t>(info.leaves[k])] = static_cast<int>(k);
  }
  for (const LoopInfo::Invariant& invariant : info.invariants) {
    const size_t leaf = static_cast<size_t>(invariant.leaf);
    const hlo::InstructionId state = graph_.module().operands(loop->source)[0];
    SetCaptured(region, leaf, LeafSource(graph_.module(), state, leaf), invariant.outer, captured,
                loop->num_results(), &map);
  }
  region.parameter_leaves = {std::move(map)};
}

void PlanBuilder::SetCaptured(PlanComputation& region, size_t leaf, hlo::InstructionId text,
                              Value* outer, const std::vector<Value*>& captured, int first,
                              LeafMap* map) {
  const Value* now = outer->Resolve();
  int place = now == nullptr ? -1 : PlaceOf(captured, now);
  if (place < 0) {
    const Op* def = now == nullptr ? outer->def() : now->def();
    const bool known = def != nullptr && def->source != hlo::kNoId;
    place = PlaceOfClone(captured, known ? def->source : text);
  }
  if (place >= 0) (*map)[leaf] = place + first;
  const Op* def = now == nullptr ? outer->def() : now->def();
  if (def != nullptr && def->kind == OpKind::kConstant) region.leaf_constants[leaf] = def->source;
}

int PlanBuilder::LoopRegion(Frame& frame, Block* block, const std::vector<NodeId>& elements,
                            const Op* op, const std::vector<PlanSharding>& shardings,
                            const std::vector<Value*>& captured) {
  std::vector<layout::Shape> shapes;
  std::vector<PlanSharding> own;  // of the elements inside: a captured value without one has none
  for (size_t i = 0; i < elements.size(); ++i) {
    shapes.push_back(*ShapeOf(frame, elements[i]));
    const bool carried = i < static_cast<size_t>(op->num_results());
    own.push_back(carried ? shardings[i] : NodeAt(frame, elements[i]).sharding);
  }
  Frame inner;
  inner.manual = frame.manual;
  inner.computation = NewComputation("region", block->source);
  const bool single = elements.size() == 1;
  const layout::Shape* shape =
      graph_.KeepShape(single ? shapes[0] : layout::Shape::Tuple(std::move(shapes)));
  const NodeId state = AddParameter(inner, shape, OneOrTuple(shardings, !single));
  std::vector<NodeId> places;
  for (size_t i = 0; i < elements.size(); ++i) {
    places.push_back(single ? state : AddElement(inner, state, static_cast<int64_t>(i), own[i]));
  }
  for (Value* arg : block->args) inner.nodes[arg] = places[static_cast<size_t>(arg->index())];
  for (size_t i = 0; i < captured.size(); ++i) {
    inner.nodes[captured[i]] = places[static_cast<size_t>(op->num_results()) + i];
  }
  AddOps(inner, block);
  At(inner).is_region = true;
  At(inner).is_loop_body = block->region == 1;
  if (At(inner).is_loop_body) {
    const std::vector<NodeId> more(places.begin() + op->num_results(), places.end());
    AddRoot(inner, block, shardings, more);
  } else {
    AddRoot(inner, block, {});
  }
  CloseComputation(inner);
  return inner.computation;
}

void PlanBuilder::AddConditional(Frame& frame, Op* op) {
  const std::vector<PlanSharding> results = ControlShardings(frame, op);
  PlanNode node;
  node.opcode = Opcode::kConditional;
  node.like_source = true;
  node.source = op->source;
  node.operands = {NodeOf(frame, op->operand(0))};
  const BranchInfo& info = *op->As<BranchInfo>();
  for (size_t b = 0; b < op->blocks.size(); ++b) {
    Block* block = op->blocks[b];
    const std::vector<Value*> captured = CapturedBy(block);
    std::vector<NodeId> elements;
    std::vector<PlanSharding> shardings;
    for (const Value* value : captured) {
      elements.push_back(NodeOf(frame, value));
      shardings.push_back(NodeAt(frame, elements.back()).sharding);
    }
    node.operands.push_back(Pack(frame, elements, shardings));
    node.called.push_back(BranchRegion(frame, block, captured, results));
    PlanComputation& region = plan_.computations[static_cast<size_t>(node.called.back())];
    LeafMap map(info.captured[b].size(), -1);
    region.leaf_constants.assign(map.size(), hlo::kNoId);
    for (size_t i = 0; i < map.size(); ++i) {
      const hlo::InstructionId operand = graph_.module().operands(op->source)[b + 1];
      SetCaptured(region, i, LeafSource(graph_.module(), operand, i), info.captured[b][i], captured,
                  0, &map);
    }
    region.parameter_leaves = {std::move(map)};
    node.has_effect |= region.has_effect;
  }
  const PlanComputation& first = plan_.computations[static_cast<size_t>(node.called[0])];
  node.shape = first.nodes[static_cast<size_t>(first.root)].shape;
  node.sharding = OneOrTuple(results, op->num_results() != 1);
  const NodeId id = Add(frame, std::move(node));
  BindResults(frame, op, id, results);
}

int PlanBuilder::BranchRegion(Frame& frame, Block* block, const std::vector<Value*>& captured,
                              const std::vector<PlanSharding>& results) {
  std::vector<layout::Shape> shapes;
  std::vector<PlanSharding> shardings;
  for (const Value* value : captured) {
    const PlanNode& node = NodeAt(frame, NodeOf(frame, value));
    shapes.push_back(*node.shape);
    shardings.push_back(node.sharding);
  }
  Frame inner;
  inner.manual = frame.manual;
  inner.computation = NewComputation("branch", block->source);
  const bool single = captured.size() == 1;
  const layout::Shape* shape =
      graph_.KeepShape(single ? shapes[0] : layout::Shape::Tuple(std::move(shapes)));
  const NodeId operand = AddParameter(inner, shape, OneOrTuple(shardings, !single));
  for (size_t i = 0; i < captured.size(); ++i) {
    inner.nodes[captured[i]] =
        single ? operand : AddElement(inner, operand, static_cast<int64_t>(i), shardings[i]);
  }
  At(inner).is_region = true;
  AddOps(inner, block);
  AddRoot(inner, block, results);
  CloseComputation(inner);
  return inner.computation;
}

void PlanBuilder::AddCall(Frame& frame, Op* op) {
  const std::vector<PlanSharding> shardings = ResultTexts(frame, op);
  PlanNode node;
  node.opcode = Opcode::kCall;
  node.like_source = true;
  node.source = op->source;
  const std::vector<NodeId> operands = NodesOf(frame, op);
  node.operands.assign(operands.begin(), operands.end());
  node.called = {FunctionComputation(op->As<CallInfo>()->callee)};
  const PlanComputation& callee = plan_.computations[static_cast<size_t>(node.called[0])];
  node.shape = callee.nodes[static_cast<size_t>(callee.root)].shape;
  node.has_effect = callee.has_effect;
  node.sharding = OneOrTuple(shardings, node.shape->is_tuple());
  const NodeId id = Add(frame, std::move(node));
  BindResults(frame, op, id, shardings);
}

void PlanBuilder::AddOptBarrier(Frame& frame, Op* op) {
  const std::vector<PlanSharding> shardings = ResultTexts(frame, op);
  PlanNode node;
  node.opcode = Opcode::kOptBarrier;
  node.like_source = true;
  node.source = op->source;
  node.operands = {Pack(frame, NodesOf(frame, op), shardings)};
  node.shape = ShapeOf(frame, node.operands[0]);
  node.sharding = OneOrTuple(shardings, node.shape->is_tuple());
  const NodeId id = Add(frame, std::move(node));
  BindResults(frame, op, id, shardings);
}

}  // namespace tessera::sharding::graph
