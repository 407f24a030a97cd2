// Calls and barriers in the shape of HLO: one instruction each, with a tuple of several results.

#include <utility>

#include "tessera/sharding/passes/emit/lowering.h"

namespace tessera::sharding::passes {

using hlo::Opcode;

void Lowering::LowerCall(Frame& frame, Op* op) {
  const std::vector<HloShardingId> shardings = ResultTexts(frame, op);
  const int callee = FunctionComputation(op->As<CallInfo>()->callee);
  const layout::Shape& shape = RootOf(callee)->shape();
  Value* const made = Rebuild(frame, op, Opcode::kCall, OperandsOf(op), &shape,
                              OneOrTuple(shardings, shape.is_tuple()));
  InfoOf(made).called = {callee};
  made->def()->pure = !HasEffect({callee});
  program_.Replace(op, ResultsOf(frame, op, made, shardings));
}

void Lowering::LowerOptBarrier(Frame& frame, Op* op) {
  const std::vector<HloShardingId> shardings = ResultTexts(frame, op);
  Value* const packed = Pack(frame, OperandsOf(op), shardings);
  Value* const made = Rebuild(frame, op, Opcode::kOptBarrier, {packed}, &packed->shape(),
                              OneOrTuple(shardings, packed->shape().is_tuple()));
  program_.Replace(op, ResultsOf(frame, op, made, shardings));
}

}  // namespace tessera::sharding::passes
