// A shard_map in the shape of HLO. The body is a computation of its own that sees local shapes; on
// the way in every operand is copied to its in-sharding and converted to the local shape, on the
// way out back:
//
//   copy {devices=[4,1]..} -> SPMDFullToShardShape {manual} -> call {manual}
//                          -> copy {manual} -> SPMDShardToFullShape {devices=[4,1]..}
//
// Inside, every instruction has a sharding that names the manual axes, {manual} if these are all
// axes; what propagation left without sharding is replicated over the other axes.

#include "tessera/hlo/attributes.h"
#include "tessera/sharding/frontend.h"
#include "tessera/sharding/graph/import/custom_calls.h"
#include "tessera/sharding/graph/plan/plan_builder.h"
#include "tessera/sharding/graph/plan/regions/manual_calls.h"
#include "tessera/sharding/graph/sharding_access.h"
#include "tessera/sharding/trim.h"

namespace tessera::sharding::graph {
namespace {

using hlo::Opcode;

// The Sharding call that says the in-sharding of operand `number`; kNoId where a frontend attribute
// lists them.
hlo::InstructionId BoundaryConstraint(const hlo::Module& module, hlo::InstructionId enter,
                                      int64_t number) {
  const auto operands = module.operands(enter);
  const size_t place = static_cast<size_t>(number);
  if (place >= operands.size()) return hlo::kNoId;
  if (hlo::GetFrontendAttribute(module, enter, kManualAxesAttribute)) return hlo::kNoId;
  const hlo::InstructionId operand = operands[place];
  const bool is_call = module.instruction(operand).opcode == Opcode::kCustomCall;
  return is_call && MarkOfCall(module, operand) == Mark::kSharding ? operand : hlo::kNoId;
}

bool HasBorderShardings(const Op* op) {
  for (const Value& result : op->results) {
    if (result.has_sharding()) return true;
  }
  for (const Value* arg : op->blocks()[0]->args) {
    if (arg->has_sharding()) return true;
  }
  return false;
}

}  // namespace

void PlanBuilder::InlineManual(Frame& frame, Op* op) {
  const Block* body = op->blocks()[0];
  for (Value* arg : body->args) Bind(arg, NodeOf(frame, op->operand(arg->index())));
  AddOps(frame, op->blocks()[0]);
  const Op* ret = body->terminator();
  for (int i = 0; i < op->num_results(); ++i) {
    Bind(op->result(i), NodeOf(frame, ret->operand(i)));
  }
}

std::vector<PlanSharding> PlanBuilder::InnerShardings(const Op* op, const ManualContext& inside) {
  const std::vector<int>& manual = op->As<ManualInfo>()->manual_axes;
  std::vector<PlanSharding> texts;
  for (const Value& result : op->results) {
    ShardingId local = result.sharding();
    if (const TensorSharding* outer = graph_.Find(local)) {
      local = graph_.shardings().Intern(EraseManualAxes(*outer, manual));
    }
    texts.push_back(Text(inside, &result, local));
  }
  return texts;
}

int PlanBuilder::ManualBody(Op* op, const ManualContext& inside) {
  Block* block = op->blocks()[0];
  Frame inner;
  inner.manual = inside;
  inner.computation = NewComputation(kManualBody, block->source);
  Reserve(inner, block);
  for (Value* arg : block->args) {
    const PlanSharding sharding = Text(inside, arg, LocalSharding(graph_, arg));
    Bind(arg, AddParameter(inner, &arg->shape(), sharding));
  }
  SetParameterLeaves(At(inner), block);
  AddOps(inner, block);
  AddRoot(inner, block, InnerShardings(op, inside));
  CloseComputation(inner);
  return inner.computation;
}

int64_t PlanBuilder::OriginalNumber(const Value* arg) {
  PlanComputation of;
  SetParameterLeaves(of, arg->owner());
  for (size_t i = 0; i < of.parameter_leaves.size(); ++i) {
    if (of.parameter_leaves[i] == LeafMap{arg->index()}) return static_cast<int64_t>(i);
  }
  return arg->index();
}

NodeId PlanBuilder::IntoManual(Frame& frame, const Value* operand, const Value* arg,
                               const ManualContext& inside) {
  const NodeId node = NodeOf(frame, operand);
  if (!arg->is_array()) return node;
  const hlo::InstructionId source = arg->owner()->parent->As<ManualInfo>()->global_to_local;
  const int64_t number = OriginalNumber(arg);
  const hlo::InstructionId constraint = BoundaryConstraint(graph_.module(), source, number);
  const bool has_line = constraint != hlo::kNoId;
  const NodeId copy = AddCopy(frame, node, Text(frame, arg->sharding(), RankOf(operand)),
                              has_line ? NodeRole::kCounterpart : NodeRole::kBoundary,
                              has_line ? constraint : source);
  PlanNode conversion = ManualConversion(&plan_, kFullToShard, source, copy, &arg->shape(),
                                         Text(inside, arg, LocalSharding(graph_, arg)));
  conversion.number = static_cast<int32_t>(number);
  return Add(frame, conversion);
}

void PlanBuilder::OutOfManual(Frame& frame, const Op* op, const std::vector<PlanSharding>& inner) {
  const hlo::InstructionId source = op->As<ManualInfo>()->local_to_global;
  for (Value& result : op->results) {
    if (!result.is_array()) continue;
    const NodeId copy =
        AddCopy(frame, NodeOf(frame, &result), inner[static_cast<size_t>(result.index())],
                NodeRole::kBoundary, source);
    PlanNode conversion =
        ManualConversion(&plan_, kShardToFull, source, copy, &result.shape(), Text(frame, &result));
    conversion.number = result.index();
    Bind(&result, Add(frame, conversion));
  }
}

void PlanBuilder::AddManual(Frame& frame, Op* op) {
  if (!HasBorderShardings(op)) return InlineManual(frame, op);
  const ManualInfo& info = *op->As<ManualInfo>();
  ManualContext inside = frame.manual;
  inside.mesh = info.mesh;
  inside.axes.insert(inside.axes.end(), info.manual_axes.begin(), info.manual_axes.end());
  const std::vector<PlanSharding> inner = InnerShardings(op, inside);

  PlanNode call;
  call.opcode = Opcode::kCall;
  call.like_source = true;
  call.source = op->source;
  std::vector<NodeId> operands;
  for (const Value* arg : op->blocks()[0]->args) {
    operands.push_back(IntoManual(frame, op->operand(arg->index()), arg, inside));
  }
  call.operands = plan_.Keep(operands);
  call.called = plan_.Keep({ManualBody(op, inside)});
  const PlanComputation& body = plan_.computations[static_cast<size_t>(call.called[0])];
  call.shape = body.nodes[static_cast<size_t>(body.root)].shape;
  call.has_effect = body.has_effect;
  call.sharding = OneOrTuple(inner, call.shape->is_tuple());
  const NodeId called = Add(frame, call);
  BindResults(frame, op, called, inner);
  OutOfManual(frame, op, inner);
}

}  // namespace tessera::sharding::graph
