// Operations that run computations, and operations on tuples.
#include <algorithm>
#include <utility>

#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/ops/combiner.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {

absl::StatusOr<Value> FirstOperand(const Op& op) { return *op.operands[0]; }

absl::StatusOr<Value> Tuple(const Op& op) {
  std::vector<Value> elements;
  for (const Value* operand : op.operands) elements.push_back(*operand);
  return MakeTuple(std::move(elements));
}

// copy-done takes the first one: the copy.
absl::StatusOr<Value> TupleElement(const Op& op) {
  const int64_t index = std::max<int64_t>(hlo::GetTupleIndex(op.module, op.id), 0);
  return op.operands[0]->elements[static_cast<size_t>(index)];
}

absl::StatusOr<Value> Call(const Op& op) {
  std::vector<Value> arguments;
  for (const Value* operand : op.operands) arguments.push_back(*operand);
  return op.interpreter.Run(op.called(), std::move(arguments));
}

absl::StatusOr<Value> While(const Op& op) {
  Value state = *op.operands[0];
  while (true) {
    TESSERA_RETURN_IF_ERROR(op.interpreter.Spend(1));
    TESSERA_ASSIGN_OR_RETURN(Value go, op.interpreter.Run(op.called(1), {state}));
    if (go.array.cells[0].i == 0) return state;
    TESSERA_ASSIGN_OR_RETURN(state, op.interpreter.Run(op.called(0), {std::move(state)}));
  }
}

// A predicate takes branch 0 when it is true; an index outside the branches takes the last one.
int64_t BranchOf(const Array& index, int64_t branches) {
  const int64_t i = index.cells[0].i, last = branches - 1;
  if (index.type == ElementType::kPred) return i == 0;
  return i < 0 || i > last ? last : i;
}

absl::StatusOr<Value> Conditional(const Op& op) {
  const auto branch = static_cast<size_t>(BranchOf(op.in(0), op.num_operands() - 1));
  return op.interpreter.Run(op.called(branch), {*op.operands[branch + 1]});
}

absl::StatusOr<Value> Map(const Op& op) {
  const Combiner function(op, op.called());
  Array out = op.Out();
  Cell* cells = out.cells.Data();
  absl::Status status;
  op.ForEachPosition(out.dims, [&](int64_t i) {
    Cells arguments;
    for (int k = 0; k < op.num_operands(); ++k) arguments.push_back(op.in(k).cells[i]);
    const absl::StatusOr<Cells> result = function.Call(arguments);
    if (result.ok()) cells[i] = (*result)[0];
    status.Update(result.status());
  });
  if (!status.ok()) return status;
  return out;
}

// (operands, results, context)
absl::StatusOr<Value> AsyncStart(const Op& op) {
  TESSERA_ASSIGN_OR_RETURN(Value arguments, Tuple(op));
  TESSERA_ASSIGN_OR_RETURN(Value result, Call(op));
  Value out = MakeValue(op.shape());
  out.elements[0] = std::move(arguments);
  out.elements[1] = std::move(result);
  return out;
}

}  // namespace tessera::testing::evaluator
