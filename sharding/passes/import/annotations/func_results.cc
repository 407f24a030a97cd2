#include "tessera/sharding/passes/import/annotations/func_results.h"

#include <vector>

#include "tessera/sharding/passes/import/annotations/annotations.h"
#include "tessera/sharding/passes/import/custom_calls.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

// Both results go, once each, to one X64Combine: the call then speaks of that call's result.
Op* CombinedBy(const hlo::Module& module, const Op& call) {
  if (call.num_results() != 2) return nullptr;
  if (!call.result(0)->has_one_use() || !call.result(1)->has_one_use()) return nullptr;
  Op* user = call.result(0)->first_use()->user();
  const bool same = user == call.result(1)->first_use()->user();
  return same && MarkOf(module, *user) == Mark::kX64Combine ? user : nullptr;
}

// Gives the function's results that use `value` the sharding. Returns whether there is another use.
bool AnnotateReturns(Function* f, const Value& value, const Op* call, ShardingId sharding) {
  bool others = false;
  for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
    if (use->user() == f->body->terminator()) {
      f->result_shardings[static_cast<size_t>(use->number())] = sharding;
    } else if (use->user() != call) {
      others = true;
    }
  }
  return others;
}

// The same axes, every dimension open.
TensorSharding Opened(TensorSharding sharding) {
  for (DimensionSharding& dim : sharding.mutable_dims()) dim.is_closed = false;
  sharding.set_reduction(Reduction::kSum);
  return sharding;
}

void ReplaceByConstraint(HloProgram* program, Op* call, ShardingId sharding) {
  OpHead head;
  head.kind = OpKind::kConstraint;
  head.source = call->source;
  Op* constraint = program->AddOp(head, {call->operand(0)}, {&call->result()->shape()},
                                  InsertPoint::Before(call));
  const TensorSharding opened = Opened(program->shardings()[sharding]);
  constraint->result()->set_sharding(program->shardings().Intern(opened));
  program->Replace(call, {constraint->result()});
}

void ReplaceByOperands(HloProgram* program, Op* call) {
  std::vector<Value*> operands;
  for (const Use& use : call->operands) operands.push_back(use.value());
  operands.resize(call->results.size(), operands.empty() ? nullptr : operands[0]);
  program->Replace(call, operands);
}

// The reference also accepts such a call whose result has the operand's elements in another shape
// of the same rank, and returns the operand unchanged.
bool IsReshape(const Op& call) {
  const layout::Shape& from = call.operand(0)->shape();
  const layout::Shape& to = call.result(0)->shape();
  return call.num_results() == 1 && from.is_array() && to.is_array() &&
         from.element_type() == to.element_type() && from.rank() == to.rank() &&
         from.NumElements().has_value() && from.NumElements() == to.NumElements();
}

}  // namespace

absl::Status ImportFuncResult(HloProgram* program, SdyAttributeReader* frontend, Function* f,
                              Op* call) {
  TESSERA_ASSIGN_OR_RETURN(const auto list, frontend->ResultShardings(call->source));
  if (list.empty() || call->num_operands() == 0 || call->num_results() == 0) {
    return frontend->ErrorAt(call->source,
                             "a FuncResultSharding call needs an operand and an xla.sdy.sharding");
  }
  if (!IsReshape(*call)) TESSERA_RETURN_IF_ERROR(CheckHandsOn(*frontend, *call));
  TESSERA_RETURN_IF_ERROR(frontend->Check(list[0], *call->operand(0), call->source));
  Op* combine = CombinedBy(program->module(), *call);
  const Value* value = call->result(0);
  if (combine != nullptr) {
    TESSERA_RETURN_IF_ERROR(SetResultShardings(program, frontend, combine, list));
    value = combine->result();
  } else if (!call->has_uses() && call->operand(0)->def() != nullptr) {
    value = call->operand(0);
  }
  const bool others = AnnotateReturns(f, *value, call, list[0]);
  if (others && combine == nullptr) {
    ReplaceByConstraint(program, call, list[0]);
  } else {
    ReplaceByOperands(program, call);
  }
  return absl::OkStatus();
}

}  // namespace tessera::sharding::passes
