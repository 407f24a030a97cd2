// Ops that are instructions as they stand in the module.

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/leaves.h"
#include "tessera/sharding/passes/emit/followed_operand.h"
#include "tessera/sharding/passes/emit/lowering.h"
#include "tessera/sharding/passes/emit/result_layouts.h"
#include "tessera/sharding/passes/queries/constant_text.h"

namespace tessera::sharding::passes {

using hlo::AttributeName;
using hlo::Opcode;

// A Python callback with one used result returns it in a tuple.
bool Lowering::ReturnsTuple(const Op* op) const {
  constexpr absl::string_view kCallbacks[] = {
      "xla_python_cpu_callback", "xla_ffi_python_cpu_callback", "xla_python_gpu_callback",
      "xla_ffi_python_gpu_callback"};
  if (!HasOpcode(op, Opcode::kCustomCall) || !op->has_uses()) return false;
  const std::string target = hlo::GetCustomCallTarget(program_.module(), op->source);
  return std::find(std::begin(kCallbacks), std::end(kCallbacks), target) != std::end(kCallbacks);
}

// Gives the value the layout that XLA's builder gives it.
void Lowering::LayOut(Value* value) {
  const Op* const op = value->def();
  if (op->opcode == Opcode::kBroadcast) return value->set_shape(RowMajor(&value->shape()));
  const size_t followed = static_cast<size_t>(FollowedOperand(op->opcode));
  const bool follows = followed < op->operands.size();
  if (KeepsShape(op->opcode, value->shape(),
                 follows ? &op->operands[followed].value()->shape() : nullptr)) {
    return;
  }
  absl::InlinedVector<const layout::Shape*, 4> operands;
  for (const Use& use : op->operands) operands.push_back(&use.value()->shape());
  auto made = InferLayout(program_.module(), op->source, op->opcode, value->shape(), operands);
  if (made.has_value()) value->set_shape(program_.KeepShape(*std::move(made)));
}

// All opcodes except custom calls and fusions take tuple operands.
bool Lowering::TakesTuples(const Op* op) const {
  const hlo::Module& module = program_.module();
  const Opcode opcode = module.instruction(op->source).opcode;
  if (opcode == Opcode::kCustomCall || opcode == Opcode::kFusion) return false;
  return absl::c_any_of(module.operands(op->source),
                        [&](hlo::InstructionId id) { return module.shape(id).is_tuple(); });
}

// The operands as the instruction takes them.
Lowering::Values Lowering::PackedOperands(const Frame& frame, const Op* op) {
  const Values flat = OperandsOf(op);
  if (!TakesTuples(op)) return flat;
  const hlo::Module& module = program_.module();
  Values packed;
  size_t next = 0;
  for (hlo::InstructionId operand : module.operands(op->source)) {
    const size_t leaves = layout::NumLeaves(module.shape(operand));
    if (next + leaves > flat.size()) return flat;
    const auto some = absl::MakeConstSpan(flat).subspan(next, leaves);
    next += leaves;
    const bool is_tuple = module.shape(operand).is_tuple();
    packed.push_back(is_tuple ? AddTuple(frame, some, kNoHloSharding) : some[0]);
  }
  return next == flat.size() ? packed : flat;
}

void Lowering::LowerOrdinary(Frame& frame, Op* op) {
  if (op->opcode == Opcode::kOutfeed) return LowerOutfeed(frame, op);
  if (op->opcode == Opcode::kInfeed) return LowerInfeed(frame, op);
  if (op->num_results() != 1 || ReturnsTuple(op)) return LowerToTuple(frame, op);
  Value* value = op->result();
  const HloShardingId sharding = Text(frame, value);
  const bool pure = IsPure(op);
  if (TakesTuples(op)) {
    value = Rebuild(frame, op, op->opcode, PackedOperands(frame, op), &value->shape(), sharding);
    program_.Replace(op, {value});
  } else {
    Set(value, op->opcode, HloRole::kCounterpart, sharding);
    op->like_source = true;
  }
  Finish(frame, value, pure);
}

bool Lowering::IsPure(const Op* op) { return op->pure || !effects_.Of(op->source); }

// Sets purity, called computations and layout of a lowered instruction.
void Lowering::Finish(const Frame& frame, Value* value, bool pure) {
  Op* const op = value->def();
  op->pure = pure;
  if (op->opcode == Opcode::kConvert && op->num_operands() == 2) {  // to PRED
    op->opcode = Opcode::kCompare;
    op->like_source = false;
    InfoOf(value).attributes = {{AttributeName::kDirection, "NE"}};
  }
  const auto called = program_.module().called(op->source);
  for (hlo::ComputationId c : called) {
    const int copy = VerbatimComputation(frame, c);
    InfoOf(value).called.push_back(copy);
  }
  LayOut(value);
}

// The results are elements of the instruction's tuple.
void Lowering::LowerToTuple(Frame& frame, Op* op) {
  const std::vector<HloShardingId> shardings = ResultTexts(frame, op);
  std::vector<layout::Shape> shapes;
  for (const Value& result : op->results) shapes.push_back(result.shape());
  const bool pure = IsPure(op);
  Value* const made = Rebuild(frame, op, op->opcode, PackedOperands(frame, op),
                              KeepTuple(std::move(shapes)), form_.shardings.Tuple(shardings));
  Finish(frame, made, pure);
  program_.Replace(op, ResultsOf(frame, op, made, shardings));
}

}  // namespace tessera::sharding::passes
