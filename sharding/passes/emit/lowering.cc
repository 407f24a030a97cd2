#include "tessera/sharding/passes/emit/lowering.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/passes/emit/result_layouts.h"
#include "tessera/sharding/passes/program/sharding_access.h"

namespace tessera::sharding::passes {

using hlo::Opcode;

HloForm LowerToHlo(HloProgram& program, const LoweringOptions& options) {
  return Lowering(program, options).Run();
}

HloForm Lowering::Run() {
  // An entry for the reduction is all the metadata that a sharding of the pass has.
  const bool reductions = program_.behaviors().unreduced_axes_show_reduction;
  form_.shardings.set_form(
      {reductions, reductions, program_.behaviors().single_device_in_named_form});
  form_.without_axes = WithoutAxes();
  form_.tuple_args = options_.tuple_args;
  form_.num_partitions = options_.num_partitions;
  NoteConversions();
  form_.entry = FunctionComputation(program_.entry());
  LayOutFed();
  program_.DropTables();
  return std::move(form_);
}

int Lowering::NewComputation(std::string name, Block* block) {
  HloComputation& made = form_.computations.emplace_back();
  made.name = std::move(name);
  made.source = block->source;
  made.block = block;
  return static_cast<int>(form_.computations.size()) - 1;
}

int Lowering::FunctionComputation(Function* function) {
  const auto known = functions_.find(function);
  if (known != functions_.end()) return known->second;
  Block* const body = function->body;
  Frame frame;
  frame.computation = NewComputation(function->name, body);
  frame.manual = {function->manual_mesh, function->manual_axes};
  functions_[function] = frame.computation;
  At(frame.computation).parameter_leaves = ParameterLeaves(body);
  Op* const first = body->first;
  LowerEntryParameters(frame, function);
  LowerOps(frame, first);
  std::vector<HloShardingId> wanted;
  const Op* ret = body->terminator();
  for (size_t i = 0; i < function->result_shardings.size(); ++i) {
    wanted.push_back(
        Text(frame, function->result_shardings[i], RankOf(ret->operand(static_cast<int>(i)))));
  }
  LowerReturn(frame, body, wanted);
  CloseComputation(frame.computation);
  return frame.computation;
}

void Lowering::LowerEntryParameters(Frame& frame, Function* function) {
  Block* const body = function->body;
  if (!function->is_entry || !options_.tuple_args) {
    for (Value* arg : body->args) {
      arg->set_shape(RowMajor(&arg->shape()));
      SetHloSharding(arg, Text(frame, arg));
    }
    return;
  }
  std::vector<Element> elements;
  std::vector<HloShardingId> shardings;
  for (const Value* arg : body->args) {
    shardings.push_back(Text(frame, arg));
    elements.push_back({&arg->shape(), shardings.back()});
  }
  frame.at = InsertPoint::AtFront(body);
  UnpackParameter(frame, body, elements, form_.shardings.Tuple(shardings), /*packed=*/true);
}

std::vector<LeafMap> Lowering::ParameterLeaves(const Block* block) {
  std::vector<LeafMap> leaves;
  const InstructionValues* table = program_.TableOf(block);
  if (table == nullptr) return leaves;
  for (hlo::InstructionId parameter : program_.module().computation(block->source).parameters) {
    LeafMap& map = leaves.emplace_back();
    for (Value* leaf : table->Get(parameter)) {
      const bool alive = leaf != nullptr && leaf->owner() == block &&
                         leaf->index() < block->num_args() &&
                         block->args[static_cast<size_t>(leaf->index())] == leaf;
      map.push_back(alive ? leaf->index() : -1);
    }
  }
  return leaves;
}

int Lowering::VerbatimComputation(const Frame& frame, hlo::ComputationId source) {
  std::vector<int>& copies = verbatim_[frame.manual];
  if (copies.empty()) copies.resize(program_.module().num_computations(), -1);
  int& copy = copies[source];
  if (copy >= 0) return copy;
  copy = static_cast<int>(form_.computations.size());
  HloComputation& made = form_.computations.emplace_back();
  made.name = std::string(program_.module().computation(source).name);
  made.source = source;
  made.verbatim = true;
  made.mark = frame.manual.axes.empty() ? kNoHloSharding : Text(frame, kNoSharding, 0);
  return copy;
}

void Lowering::LowerOps(Frame& frame, Op* first) {
  for (Op *op = first, *next; op->kind != OpKind::kReturn; op = next) {
    next = op->next;
    SeeOperands(frame, op);
    if (op->kind == OpKind::kManualComputation && !HasBorderShardings(op)) {
      next = InlineManual(op);
    } else {
      LowerOp(frame, op);
    }
  }
}

void Lowering::LowerReturn(Frame& frame, Block* block, const std::vector<HloShardingId>& wanted,
                           absl::Span<Value* const> more) {
  Op* const ret = block->terminator();
  frame.at = InsertPoint::Before(ret);
  SeeOperands(frame, ret);
  Values results = OperandsOf(ret);
  results.insert(results.end(), more.begin(), more.end());
  Value* root = nullptr;
  if (results.size() == 1) {
    root = Shown(frame, results[0], wanted);
  } else {
    LayOutResults(frame, block, wanted, &results);
    root = AddTuple(frame, results, form_.shardings.Tuple(wanted));
  }
  program_.AddOp({OpKind::kReturn}, {root}, {}, InsertPoint::AtEnd(block));
  program_.Erase(ret);
}

Value* Lowering::Shown(const Frame& frame, Value* result,
                       const std::vector<HloShardingId>& wanted) {
  const HloShardingId own = HloShardingOf(result);
  if (wanted.empty() || wanted[0] == kNoHloSharding) return result;
  if (form_.shardings.Same(wanted[0], own)) return result;
  return AddElement(frame, AddTuple(frame, {result}, form_.shardings.Tuple({own})), 0, wanted[0]);
}

// The entry returns several results row-major, if any of them has a sharding.
void Lowering::LayOutResults(const Frame& frame, const Block* block,
                             const std::vector<HloShardingId>& wanted, Values* results) {
  const bool some = absl::c_any_of(wanted, [](HloShardingId s) { return s != kNoHloSharding; });
  if (block->parent != nullptr || !block->function->is_entry || !some) return;
  for (size_t i = 0; i < results->size(); ++i) {
    Value*& result = (*results)[i];
    if (HasDefaultLayout(result->shape())) continue;
    NewNode node;
    node.opcode = Opcode::kReshape;
    node.shape = RowMajor(&result->shape());
    node.sharding = wanted[i];
    result = Add(frame, node, {result});
  }
}

void Lowering::CloseComputation(int computation) {
  HloComputation& c = At(computation);
  for (const Op* op = c.block->first; op != c.block->last; op = op->next) c.has_effect |= !op->pure;
}

bool Lowering::HasEffect(absl::Span<const int> called) {
  return absl::c_any_of(called, [&](int c) { return At(c).has_effect; });
}

void Lowering::LowerOp(Frame& frame, Op* op) {
  frame.at = InsertPoint::Before(op);
  switch (op->kind) {
    case OpKind::kConstant:
      return LowerConstant(frame, op);
    case OpKind::kReshard:
      return LowerReshard(frame, op);
    case OpKind::kWhile:
      return LowerWhile(frame, op);
    case OpKind::kCase:
    case OpKind::kPredConditional:
      return LowerConditional(frame, op);
    case OpKind::kCall:
      return LowerCall(frame, op);
    case OpKind::kOptBarrier:
      return LowerOptBarrier(frame, op);
    case OpKind::kManualComputation:
      return LowerManual(frame, op);
    case OpKind::kPropagationBarrier:  // for the change that reads it, export.h
      return program_.Replace(op, {op->operand(0)});
    case OpKind::kAllReduce:
    case OpKind::kReplicatedToUnreduced:
    case OpKind::kShardedToUnreduced:
      return LowerConversion(frame, op);
    default:
      return op->part == OpPart::kWhole ? LowerOrdinary(frame, op) : LowerPart(frame, op);
  }
}

void Lowering::LowerReshard(const Frame& frame, Op* op) {
  const bool constraint = op->source != hlo::kNoId &&
                          hlo::GetCustomCallTarget(program_.module(), op->source) == "Sharding";
  const HloShardingId sharding = Text(frame, op->result());
  Set(op->result(), Opcode::kCopy, constraint ? HloRole::kCounterpart : HloRole::kReshard,
      sharding);
  op->result()->set_shape(&op->operand(0)->shape());
}

}  // namespace tessera::sharding::passes
