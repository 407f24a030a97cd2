// A shard_map in the shape of HLO. The body is a computation of its own that sees local shapes. On
// the way in every operand is copied to its in-sharding and converted to the local shape, on the
// way out back:
//
//   copy {devices=[4,1]..} -> SPMDFullToShardShape {manual} -> call {manual}
//                          -> copy {manual} -> SPMDShardToFullShape {devices=[4,1]..}
//
// Inside, every instruction has a sharding that names the manual axes, {manual} if these are all
// axes; what propagation left without sharding is replicated over the other axes.

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/frontend.h"
#include "tessera/sharding/passes/emit/lowering.h"
#include "tessera/sharding/passes/emit/regions/manual_calls.h"
#include "tessera/sharding/passes/import/custom_calls.h"
#include "tessera/sharding/passes/program/sharding_access.h"
#include "tessera/sharding/trim.h"

namespace tessera::sharding::passes {
namespace {

using hlo::Opcode;

// The Sharding call with the in-sharding of operand `number`; kNoId if a frontend attribute lists
// them.
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

}  // namespace

bool Lowering::HasBorderShardings(const Op* op) {
  const auto has = [](const Value* value) { return value->has_sharding(); };
  return absl::c_any_of(op->results, [&](const Value& result) { return has(&result); }) ||
         absl::c_any_of(op->blocks()[0]->args, has);
}

Op* Lowering::InlineManual(Op* op) {
  Block* const body = op->blocks()[0];
  for (Value* arg : body->args) arg->ReplaceAllUsesWith(op->operand(arg->index()));
  Op* const first = body->first;
  while (body->first != body->last) program_.Move(body->first, InsertPoint::Before(op));
  Op* const next = first == body->last ? op->next : first;
  program_.Replace(op, OperandsOf(body->last));
  return next;
}

std::vector<HloShardingId> Lowering::InnerShardings(const Op* op, const ManualContext& inside) {
  const std::vector<int>& manual = op->As<ManualInfo>()->manual_axes;
  std::vector<HloShardingId> texts;
  for (const Value& result : op->results) {
    ShardingId local = result.sharding();
    if (const TensorSharding* outer = program_.Find(local)) {
      local = program_.shardings().Intern(EraseManualAxes(*outer, manual));
    }
    texts.push_back(Text(inside, &result, local));
  }
  return texts;
}

int Lowering::ManualBody(Op* op, const ManualContext& inside) {
  Block* block = op->blocks()[0];
  Frame inner;
  inner.manual = inside;
  inner.computation = NewComputation(kManualBody, block);
  At(inner.computation).parameter_leaves = ParameterLeaves(block);
  for (Value* arg : block->args) {
    SetHloSharding(arg, Text(inside, arg, LocalSharding(program_, arg)));
    arg->set_shape(RowMajor(&arg->shape()));
  }
  LowerOps(inner, block->first);
  LowerReturn(inner, block, InnerShardings(op, inside));
  CloseComputation(inner.computation);
  return inner.computation;
}

int64_t Lowering::OriginalNumber(const Value* arg) {
  const std::vector<LeafMap> leaves = ParameterLeaves(arg->owner());
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i] == LeafMap{arg->index()}) return static_cast<int64_t>(i);
  }
  return arg->index();
}

Value* Lowering::AddBoundary(const Frame& frame, const char* target, HloRole role,
                             hlo::InstructionId source, Value* operand, const layout::Shape* shape,
                             HloShardingId sharding) {
  NewNode node;
  node.opcode = Opcode::kCustomCall;
  node.role = role;
  node.source = source;
  node.shape = shape;
  node.sharding = sharding;
  Value* const made = Add(frame, node, {operand});
  InfoOf(made).attributes = {
      {hlo::AttributeName::kCustomCallTarget, absl::StrCat("\"", target, "\"")}};
  return made;
}

Value* Lowering::IntoManual(const Frame& frame, Value* operand, const Value* arg,
                            const ManualContext& inside) {
  if (!arg->is_array()) return operand;
  const hlo::InstructionId source = arg->owner()->parent->As<ManualInfo>()->global_to_local;
  const int64_t number = OriginalNumber(arg);
  const hlo::InstructionId constraint = BoundaryConstraint(program_.module(), source, number);
  const bool has_line = constraint != hlo::kNoId;
  Value* const copy = AddCopy(frame, operand, Text(frame, arg->sharding(), RankOf(operand)),
                              has_line ? HloRole::kCounterpart : HloRole::kBoundary,
                              has_line ? constraint : source);
  Value* const local = AddBoundary(frame, kFullToShard, HloRole::kBoundary, source, copy,
                                   &arg->shape(), Text(inside, arg, LocalSharding(program_, arg)));
  InfoOf(local).number = static_cast<int32_t>(number);
  return local;
}

void Lowering::OutOfManual(const Frame& frame, const Op* op, hlo::InstructionId source,
                           const std::vector<HloShardingId>& inner, Values* results) {
  for (const Value& result : op->results) {
    if (!result.is_array()) continue;
    Value*& made = (*results)[static_cast<size_t>(result.index())];
    Value* const copy = AddCopy(frame, made, inner[static_cast<size_t>(result.index())],
                                HloRole::kBoundary, source);
    made = AddBoundary(frame, kShardToFull, HloRole::kBoundary, source, copy, &result.shape(),
                       Text(frame, &result));
    InfoOf(made).number = result.index();
  }
}

void Lowering::LowerManual(Frame& frame, Op* op) {
  const ManualInfo& info = *op->As<ManualInfo>();
  ManualContext inside = frame.manual;
  inside.mesh = info.mesh;
  inside.axes.insert(inside.axes.end(), info.manual_axes.begin(), info.manual_axes.end());
  const std::vector<HloShardingId> inner = InnerShardings(op, inside);
  Values operands;
  for (const Value* arg : op->blocks()[0]->args) {
    operands.push_back(IntoManual(frame, op->operand(arg->index()), arg, inside));
  }
  const int body = ManualBody(op, inside);
  const layout::Shape& shape = RootOf(body)->shape();
  Value* const call =
      Rebuild(frame, op, Opcode::kCall, operands, &shape, OneOrTuple(inner, shape.is_tuple()));
  InfoOf(call).called = {body};
  call->def()->pure = !HasEffect({body});
  Values results = ResultsOf(frame, op, call, inner);
  OutOfManual(frame, op, info.local_to_global, inner, &results);
  program_.Replace(op, results);
}

}  // namespace tessera::sharding::passes
