#include "tessera/sharding/graph/plan_builder.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/literal.h"
#include "tessera/sharding/graph/constant_text.h"
#include "tessera/sharding/graph/sharding_access.h"
#include "tessera/sharding/hlo_conversions.h"

namespace tessera::sharding::graph {
namespace {

using hlo::AttributeName;
using hlo::Opcode;

int RankOf(const Value* value) { return value->is_array() ? value->rank() : 0; }

bool HasDefaultLayout(const layout::Shape& shape) {
  return !shape.is_array() || shape == layout::Shape::Array(shape.element_type(), shape.dims());
}

// The shape with every array laid out row-major: what a value has that comes from outside.
layout::Shape WithDefaultLayout(const layout::Shape& shape) {
  if (shape.is_tuple()) {
    std::vector<layout::Shape> elements;
    for (const layout::Shape& element : shape.tuple_elements()) {
      elements.push_back(WithDefaultLayout(element));
    }
    return layout::Shape::Tuple(std::move(elements));
  }
  if (!shape.is_array() || shape.has_dynamic_dim()) return shape;
  return layout::Shape::Array(shape.element_type(), shape.dims());
}

// Which operand's layout the result of an op takes over; -1 for ops that take over none.
int FollowedOperand(Opcode opcode) {
  switch (opcode) {
    case Opcode::kClamp:
      return 1;
    case Opcode::kSelect:
    case Opcode::kAbs:
    case Opcode::kAdd:
    case Opcode::kAnd:
    case Opcode::kAtan2:
    case Opcode::kCbrt:
    case Opcode::kCeil:
    case Opcode::kCholesky:
    case Opcode::kCompare:
    case Opcode::kConvert:
    case Opcode::kCopy:
    case Opcode::kCosine:
    case Opcode::kDivide:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kErf:
    case Opcode::kExponential:
    case Opcode::kExponentialMinusOne:
    case Opcode::kFloor:
    case Opcode::kImag:
    case Opcode::kIsFinite:
    case Opcode::kLog:
    case Opcode::kLogPlusOne:
    case Opcode::kLogistic:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kMultiply:
    case Opcode::kNegate:
    case Opcode::kNot:
    case Opcode::kOr:
    case Opcode::kPower:
    case Opcode::kReal:
    case Opcode::kReducePrecision:
    case Opcode::kRemainder:
    case Opcode::kReverse:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
    case Opcode::kRsqrt:
    case Opcode::kScatter:
    case Opcode::kSelectAndScatter:
    case Opcode::kSign:
    case Opcode::kSine:
    case Opcode::kSqrt:
    case Opcode::kSubtract:
    case Opcode::kTan:
    case Opcode::kTanh:
    case Opcode::kXor:
      return 0;
    default:
      return -1;
  }
}

std::string Braces(absl::Span<const int64_t> list) {
  return absl::StrCat("{", absl::StrJoin(list, ","), "}");
}

// Positions of the dimensions of a broadcast in ascending order of the dimension.
std::vector<int64_t> SortedOrder(absl::Span<const int64_t> dims) {
  std::vector<int64_t> order(dims.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return dims[static_cast<size_t>(a)] < dims[static_cast<size_t>(b)];
  });
  return order;
}

}  // namespace

ExportPlan PlanBuilder::Build() {
  plan_.tuple_args = options_.tuple_args;
  plan_.num_partitions = options_.num_partitions;
  plan_.entry = FunctionComputation(graph_.entry());
  return std::move(plan_);
}

// --- computations
// ----------------------------------------------------------------------------------

int PlanBuilder::NewComputation(std::string name, hlo::ComputationId source) {
  PlanComputation made;
  made.name = std::move(name);
  made.source = source;
  plan_.computations.push_back(std::move(made));
  return static_cast<int>(plan_.computations.size()) - 1;
}

int PlanBuilder::FunctionComputation(Function* function) {
  const auto known = functions_.find(function);
  if (known != functions_.end()) return known->second;
  Frame frame;
  frame.computation = NewComputation(function->name, function->body->source);
  frame.manual = {function->manual_mesh, function->manual_axes};
  functions_[function] = frame.computation;
  AddEntryParameters(frame, function);
  SetParameterLeaves(At(frame), function->body);
  AddOps(frame, function->body);
  std::vector<PlanSharding> wanted;
  const Op* ret = function->body->terminator();
  for (size_t i = 0; i < function->result_shardings.size(); ++i) {
    wanted.push_back(
        Text(frame, function->result_shardings[i], RankOf(ret->operand(static_cast<int>(i)))));
  }
  if (function->is_entry) plan_.results = wanted;
  AddRoot(frame, function->body, wanted);
  CloseComputation(frame);
  return frame.computation;
}

void PlanBuilder::AddEntryParameters(Frame& frame, Function* function) {
  const Block* body = function->body;
  if (!function->is_entry || !options_.tuple_args) {
    for (const Value* arg : body->args) {
      frame.nodes[arg] = AddParameter(frame, &arg->shape(), Text(frame, arg));
    }
    return;
  }
  std::vector<layout::Shape> shapes;
  std::vector<PlanSharding> shardings;
  for (const Value* arg : body->args) {
    shapes.push_back(arg->shape());
    shardings.push_back(Text(frame, arg));
  }
  const NodeId all = AddParameter(frame, graph_.KeepShape(layout::Shape::Tuple(std::move(shapes))),
                                  plan_.shardings.Tuple(shardings));
  for (const Value* arg : body->args) {
    frame.nodes[arg] =
        AddElement(frame, all, arg->index(), shardings[static_cast<size_t>(arg->index())]);
  }
}

void PlanBuilder::SetParameterLeaves(PlanComputation& computation, const Block* block) {
  const LeafTable* table = graph_.TableOf(block);
  if (table == nullptr) return;
  for (hlo::InstructionId parameter : graph_.module().computation(block->source).parameters) {
    LeafMap map;
    for (Value* leaf : table->Get(parameter)) {
      const bool alive = leaf != nullptr && leaf->owner() == block &&
                         leaf->index() < block->num_args() &&
                         block->args[static_cast<size_t>(leaf->index())] == leaf;
      map.push_back(alive ? leaf->index() : -1);
    }
    computation.parameter_leaves.push_back(std::move(map));
  }
}

int PlanBuilder::VerbatimComputation(const Frame& frame, hlo::ComputationId source) {
  const auto [it, is_new] = verbatim_.emplace(std::make_pair(frame.manual, source), 0);
  if (!is_new) return it->second;
  const PlanSharding mark =
      frame.manual.axes.empty() ? kNoPlanSharding : Text(frame, kNoSharding, 0);
  const int id = NewComputation(std::string(graph_.module().computation(source).name), source);
  plan_.computations.back().verbatim = true;
  plan_.computations.back().mark = mark;
  return it->second = id;
}

void PlanBuilder::AddOps(Frame& frame, Block* block) {
  for (Op* op = block->first; op != nullptr; op = op->next) {
    if (op->kind != OpKind::kReturn) AddOp(frame, op);
  }
}

void PlanBuilder::AddRoot(Frame& frame, const Block* block, const std::vector<PlanSharding>& wanted,
                          const std::vector<NodeId>& more) {
  std::vector<NodeId> results = NodesOf(frame, block->terminator());
  results.insert(results.end(), more.begin(), more.end());
  if (results.size() != 1) {
    LayOutResults(frame, block, wanted, &results);
    At(frame).root = AddTuple(frame, results, plan_.shardings.Tuple(wanted));
    return;
  }
  At(frame).root = results[0];
  const PlanSharding own = NodeAt(frame, results[0]).sharding;
  if (wanted.empty() || wanted[0] == kNoPlanSharding) return;
  if (plan_.shardings.Same(wanted[0], own)) return;
  // A result that differs from what is returned shows on an element of a tuple.
  const NodeId tuple = AddTuple(frame, results, plan_.shardings.Tuple({own}));
  At(frame).root = AddElement(frame, tuple, 0, wanted[0]);
}

// The program returns several results row-major, if any of them has a sharding.
void PlanBuilder::LayOutResults(Frame& frame, const Block* block,
                                const std::vector<PlanSharding>& wanted,
                                std::vector<NodeId>* results) {
  const bool some = std::any_of(wanted.begin(), wanted.end(),
                                [](PlanSharding s) { return s != kNoPlanSharding; });
  if (block->parent != nullptr || !block->function->is_entry || !some) return;
  for (size_t i = 0; i < results->size(); ++i) {
    NodeId& result = (*results)[i];
    const layout::Shape& shape = *ShapeOf(frame, result);
    if (HasDefaultLayout(shape)) continue;
    PlanNode node;
    node.opcode = Opcode::kReshape;
    node.role = NodeRole::kPacking;
    node.shape = graph_.KeepShape(WithDefaultLayout(shape));
    node.operands = {result};
    node.sharding = wanted[i];
    result = Add(frame, std::move(node));
  }
}

void PlanBuilder::CloseComputation(Frame& frame) {
  for (const PlanNode& node : At(frame).nodes) At(frame).has_effect |= node.has_effect;
}

// --- nodes
// -----------------------------------------------------------------------------------------

NodeId PlanBuilder::Add(Frame& frame, PlanNode node) {
  At(frame).nodes.push_back(std::move(node));
  return static_cast<NodeId>(At(frame).nodes.size()) - 1;
}

NodeId PlanBuilder::AddParameter(Frame& frame, const layout::Shape* shape, PlanSharding sharding) {
  PlanNode node;
  node.opcode = Opcode::kParameter;
  node.role = NodeRole::kPacking;
  node.shape = HasDefaultLayout(*shape) && !shape->is_tuple()
                   ? shape
                   : graph_.KeepShape(WithDefaultLayout(*shape));
  node.sharding = sharding;
  node.number = static_cast<int64_t>(At(frame).parameters.size());
  const NodeId id = Add(frame, std::move(node));
  At(frame).parameters.push_back(id);
  return id;
}

const layout::Shape* PlanBuilder::TupleShape(const Frame& frame,
                                             const std::vector<NodeId>& elements) {
  std::vector<layout::Shape> shapes;
  for (NodeId id : elements) shapes.push_back(*ShapeOf(frame, id));
  return graph_.KeepShape(layout::Shape::Tuple(std::move(shapes)));
}

NodeId PlanBuilder::AddTuple(Frame& frame, const std::vector<NodeId>& elements,
                             PlanSharding sharding) {
  PlanNode node;
  node.opcode = Opcode::kTuple;
  node.role = NodeRole::kPacking;
  node.shape = TupleShape(frame, elements);
  node.operands.assign(elements.begin(), elements.end());
  node.sharding = sharding;
  return Add(frame, std::move(node));
}

NodeId PlanBuilder::AddElement(Frame& frame, NodeId tuple, int64_t index, PlanSharding sharding) {
  PlanNode node;
  node.opcode = Opcode::kGetTupleElement;
  node.role = NodeRole::kPacking;
  node.shape = &ShapeOf(frame, tuple)->tuple_elements()[static_cast<size_t>(index)];
  node.operands = {tuple};
  node.number = index;
  node.sharding = sharding;
  return Add(frame, std::move(node));
}

NodeId PlanBuilder::AddCopy(Frame& frame, NodeId of, PlanSharding sharding, NodeRole role,
                            hlo::InstructionId source) {
  PlanNode node;
  node.opcode = Opcode::kCopy;
  node.role = role;
  node.source = source;
  node.shape = ShapeOf(frame, of);
  node.operands = {of};
  node.sharding = sharding;
  return Add(frame, std::move(node));
}

NodeId PlanBuilder::Pack(Frame& frame, const std::vector<NodeId>& elements,
                         const std::vector<PlanSharding>& shardings) {
  if (elements.size() == 1) return elements[0];
  return AddTuple(frame, elements, plan_.shardings.Tuple(shardings));
}

void PlanBuilder::BindResults(Frame& frame, const Op* op, NodeId node,
                              const std::vector<PlanSharding>& shardings) {
  if (!ShapeOf(frame, node)->is_tuple()) {
    if (op->num_results() > 0) frame.nodes[op->result()] = node;
    return;
  }
  for (int i = 0; i < op->num_results(); ++i) {
    frame.nodes[op->result(i)] = AddElement(frame, node, i, shardings[static_cast<size_t>(i)]);
  }
}

NodeId PlanBuilder::NodeOf(const Frame& frame, const Value* value) const {
  const auto it = frame.nodes.find(value);
  return it == frame.nodes.end() ? kNoNode : it->second;
}

std::vector<NodeId> PlanBuilder::NodesOf(const Frame& frame, const Op* op) const {
  std::vector<NodeId> nodes;
  for (int i = 0; i < op->num_operands(); ++i) nodes.push_back(NodeOf(frame, op->operand(i)));
  return nodes;
}

// --- ops
// -------------------------------------------------------------------------------------------

void PlanBuilder::AddOp(Frame& frame, Op* op) {
  switch (op->kind) {
    case OpKind::kConstant:
      return AddConstant(frame, op);
    case OpKind::kReshard:
      return AddReshard(frame, op);
    case OpKind::kWhile:
      return AddWhile(frame, op);
    case OpKind::kCase:
    case OpKind::kIf:
      return AddConditional(frame, op);
    case OpKind::kCall:
      return AddCall(frame, op);
    case OpKind::kOptBarrier:
      return AddOptBarrier(frame, op);
    case OpKind::kManual:
      return AddManual(frame, op);
    case OpKind::kAllReduce:
    case OpKind::kReplicatedToUnreduced:
    case OpKind::kShardedToUnreduced:
      return AddConversion(frame, op);
    default:
      return op->part == OpPart::kWhole ? AddOrdinary(frame, op) : AddPart(frame, op);
  }
}

void PlanBuilder::AddConstant(Frame& frame, Op* op) {
  const layout::Shape& shape = op->result()->shape();
  PlanNode node;
  node.opcode = Opcode::kConstant;
  node.role = op->part == OpPart::kWhole ? NodeRole::kCounterpart : NodeRole::kPart;
  node.like_source = op->part == OpPart::kWhole;
  node.source = op->source;
  node.shape = &shape;
  node.sharding = Text(frame, op->result());
  node.literal = std::string(ConstantText(graph_.module(), op));
  const bool zero = op->part == OpPart::kPredZero;
  const bool splat = shape.is_array() && shape.NumElements().value_or(0) > 1 &&
                     (zero || hlo::IsSplat(graph_.module(), op->source));
  frame.nodes[op->result()] =
      splat ? AddSplat(frame, std::move(node)) : Add(frame, std::move(node));
}

// A constant of equal elements is written as a broadcast.
NodeId PlanBuilder::AddSplat(Frame& frame, PlanNode constant) {
  PlanNode scalar = constant;
  scalar.role = NodeRole::kPart;
  scalar.like_source = false;
  scalar.shape = graph_.KeepShape(layout::Shape::Array(constant.shape->element_type(), {}));
  scalar.sharding = Text(frame, kNoSharding, 0);
  scalar.literal = std::string(FirstElement(constant.literal));
  constant.opcode = Opcode::kBroadcast;
  constant.like_source = false;
  constant.literal.clear();
  constant.operands = {Add(frame, std::move(scalar))};
  constant.shape = graph_.KeepShape(WithDefaultLayout(*constant.shape));
  constant.attributes = {{AttributeName::kDimensions, "{}"}};
  return Add(frame, std::move(constant));
}

void PlanBuilder::AddReshard(Frame& frame, Op* op) {
  const bool constraint = op->source != hlo::kNoId &&
                          hlo::GetCustomCallTarget(graph_.module(), op->source) == "Sharding";
  frame.nodes[op->result()] =
      AddCopy(frame, NodeOf(frame, op->operand(0)), Text(frame, op->result()),
              constraint ? NodeRole::kCounterpart : NodeRole::kReshard, op->source);
}

void PlanBuilder::AddPart(Frame& frame, Op* op) {
  PlanNode node;
  node.source = op->source;
  node.shape = &op->result()->shape();
  node.sharding = Text(frame, op->result());
  const std::vector<NodeId> operands = NodesOf(frame, op);
  node.operands.assign(operands.begin(), operands.end());
  hlo::IntList dims;
  if (op->part == OpPart::kSortTranspose || op->part == OpPart::kSortedBroadcast) {
    dims = hlo::GetInts(graph_.module(), op->source, AttributeName::kDimensions)
               .value_or(hlo::IntList());
  }
  switch (op->part) {
    case OpPart::kSortTranspose:
      node.opcode = Opcode::kTranspose;
      node.role = NodeRole::kPart;
      node.attributes = {{AttributeName::kDimensions, Braces(SortedOrder(dims))}};
      break;
    case OpPart::kSplatBroadcast:
    case OpPart::kPredZeros:
    case OpPart::kSortedBroadcast:
      node.opcode = Opcode::kBroadcast;
      if (op->part == OpPart::kPredZeros) node.role = NodeRole::kPart;
      if (op->part != OpPart::kSortedBroadcast) {
        node.shape = graph_.KeepShape(WithDefaultLayout(*node.shape));
      }
      std::sort(dims.begin(), dims.end());
      node.attributes = {{AttributeName::kDimensions, Braces(dims)}};
      break;
    default:
      node.opcode = Opcode::kConvert;
      node.role = NodeRole::kPart;
      break;
  }
  frame.nodes[op->result()] = Add(frame, std::move(node));
}

// A Python callback with one result returns it in a tuple, unless nobody wants it.
bool PlanBuilder::ReturnsTuple(const Op* op) const {
  constexpr absl::string_view kCallbacks[] = {
      "xla_python_cpu_callback", "xla_ffi_python_cpu_callback", "xla_python_gpu_callback",
      "xla_ffi_python_gpu_callback"};
  if (!HasOpcode(graph_.module(), op, Opcode::kCustomCall) || !op->has_uses()) return false;
  const std::string target = hlo::GetCustomCallTarget(graph_.module(), op->source);
  return std::find(std::begin(kCallbacks), std::end(kCallbacks), target) != std::end(kCallbacks);
}

// The result's shape with the layout that XLA's builder gives it: broadcasts are row-major; an
// element-wise op goes with its operand where that has another layout than in the module.
const layout::Shape* PlanBuilder::LaidOut(const Frame& frame, const Op* op, const PlanNode& node) {
  const layout::Shape* shape = &op->result()->shape();
  if (node.opcode == Opcode::kBroadcast) return graph_.KeepShape(WithDefaultLayout(*shape));
  const size_t followed = static_cast<size_t>(FollowedOperand(node.opcode));
  if (followed >= node.operands.size()) return shape;
  const layout::Shape& is = *ShapeOf(frame, node.operands[followed]);
  const bool comparable = shape->is_array() && is.is_array() && shape->dims() == is.dims() &&
                          shape->has_layout() && is.has_layout();
  if (!comparable || shape->layout() == is.layout()) return shape;
  layout::Shape made = *shape;
  made.set_layout(is.layout());
  return graph_.KeepShape(std::move(made));
}

// The operands as the instruction takes them: all but custom calls and fusions take tuples whole.
std::vector<NodeId> PlanBuilder::PackedOperands(Frame& frame, const Op* op) {
  const std::vector<NodeId> flat = NodesOf(frame, op);
  const hlo::Module& module = graph_.module();
  const Opcode opcode = module.instruction(op->source).opcode;
  if (opcode == Opcode::kCustomCall || opcode == Opcode::kFusion) return flat;
  std::vector<NodeId> packed;
  size_t next = 0;
  for (hlo::InstructionId operand : module.operands(op->source)) {
    size_t leaves = 0;
    layout::ForEachLeaf(module.shape(operand), [&](const layout::Shape&) { ++leaves; });
    if (next + leaves > flat.size()) return flat;
    const std::vector<NodeId> some(flat.begin() + static_cast<std::ptrdiff_t>(next),
                                   flat.begin() + static_cast<std::ptrdiff_t>(next + leaves));
    next += leaves;
    const bool is_tuple = module.shape(operand).is_tuple();
    packed.push_back(is_tuple ? AddTuple(frame, some, kNoPlanSharding) : some[0]);
  }
  return next == flat.size() ? packed : flat;
}

void PlanBuilder::AddOrdinary(Frame& frame, Op* op) {
  const hlo::Module& module = graph_.module();
  const hlo::Instruction& source = module.instruction(op->source);
  const std::vector<PlanSharding> shardings = ResultTexts(frame, op);
  PlanNode node;
  node.opcode = source.opcode;
  node.like_source = true;
  node.has_effect = !op->pure;
  node.source = op->source;
  const std::vector<NodeId> operands = PackedOperands(frame, op);
  node.operands.assign(operands.begin(), operands.end());
  node.shape = &module.shape(op->source);
  if (source.opcode == Opcode::kConvert && op->num_operands() == 2) {  // to PRED
    node.opcode = Opcode::kCompare;
    node.like_source = false;
    node.attributes = {{AttributeName::kDirection, "NE"}};
  }
  if (op->num_results() == 1 && !ReturnsTuple(op)) {
    node.shape = LaidOut(frame, op, node);
  } else {
    std::vector<layout::Shape> shapes;
    for (const Value& result : op->results) shapes.push_back(result.shape());
    node.shape = graph_.KeepShape(layout::Shape::Tuple(std::move(shapes)));
  }
  node.sharding = OneOrTuple(shardings, node.shape->is_tuple());
  for (hlo::ComputationId called : module.called(op->source)) {
    node.called.push_back(VerbatimComputation(frame, called));
  }
  const NodeId id = Add(frame, std::move(node));
  BindResults(frame, op, id, shardings);
}

// --- shardings ------------------------------------------------------------------------------

HloSharding PlanBuilder::ToHlo(const ManualContext& manual, const TensorSharding& s) const {
  const Mesh& mesh = graph_.meshes().mesh(s.mesh_id());
  return options_.named ? ToNamedSharding(s, mesh, manual.axes)
                        : ToTiledSharding(s, mesh, manual.axes);
}

PlanSharding PlanBuilder::Text(const ManualContext& manual, ShardingId id, int rank) {
  if (id == kNoSharding && manual.axes.empty()) return kNoPlanSharding;
  const bool foreign =
      !manual.axes.empty() && (id == kNoSharding || graph_.Find(id)->mesh_id() != manual.mesh);
  const auto key = std::make_tuple(manual, foreign ? kNoSharding : id, foreign ? rank : 0);
  const auto known = texts_.find(key);
  if (known != texts_.end()) return known->second;
  const TensorSharding s =
      foreign ? TensorSharding::FullyClosed(manual.mesh, rank) : *graph_.Find(id);
  return texts_[key] = plan_.shardings.Add(ToHlo(manual, s));
}

PlanSharding PlanBuilder::Text(const Frame& frame, const Value* value) {
  return Text(frame, value->sharding(), RankOf(value));
}

std::vector<PlanSharding> PlanBuilder::ResultTexts(const Frame& frame, const Op* op) {
  std::vector<PlanSharding> texts;
  for (const Value& result : op->results) texts.push_back(Text(frame, &result));
  if (op->results.empty() && op->kind == OpKind::kHlo) {
    const auto* own = op->As<CallSharding>();
    texts.push_back(Text(frame, own == nullptr ? kNoSharding : own->sharding, 0));
  }
  const bool some =
      std::any_of(texts.begin(), texts.end(), [](PlanSharding s) { return s != kNoPlanSharding; });
  for (PlanSharding& text : texts) {
    if (some && text == kNoPlanSharding) text = plan_.shardings.Replicated();
  }
  return texts;
}

std::vector<PlanSharding> PlanBuilder::ControlShardings(const Frame& frame, const Op* op) {
  std::vector<PlanSharding> texts = ResultTexts(frame, op);
  const PlanSharding replicated = options_.named
                                      ? plan_.shardings.Add(HloSharding::Named(NamedSharding()))
                                      : plan_.shardings.Replicated();
  for (PlanSharding& text : texts) {
    if (text == kNoPlanSharding) text = replicated;
  }
  return texts;
}

PlanSharding PlanBuilder::OneOrTuple(const std::vector<PlanSharding>& shardings, bool tuple) {
  if (tuple) return plan_.shardings.Tuple(shardings);
  return shardings.empty() ? kNoPlanSharding : shardings[0];
}

}  // namespace tessera::sharding::graph
