#include "tessera/testing/evaluator/ops/combiner.h"

#include <utility>

#include "tessera/projection/signatures/combiner.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {

Combiner::Combiner(const Op& op, hlo::ComputationId computation)
    : interpreter_(op.interpreter), computation_(computation) {
  const hlo::Computation& body = op.module.computation(computation);
  for (hlo::InstructionId parameter : body.parameters)
    types_.push_back(op.module.shape(parameter).element_type());
  const std::optional<Opcode> opcode = projection::BinaryCombiner(op.module, computation);
  const bool one_type = types_.size() == 2 && types_[0] == types_[1] &&
                        op.module.shape(body.root).element_type() == types_[0];
  if (opcode.has_value() && one_type) direct_ = FindBinary(*opcode);
}

absl::StatusOr<Cells> Combiner::Call(const Cells& arguments) const {
  TESSERA_RETURN_IF_ERROR(interpreter_.Spend(1));
  if (direct_ != nullptr) return Cells{Apply2(*direct_, types_[0], arguments[0], arguments[1])};
  std::vector<Value> scalars;
  for (size_t i = 0; i < arguments.size(); ++i)
    scalars.push_back(MakeScalar(types_[i], arguments[i]));
  TESSERA_ASSIGN_OR_RETURN(Value result, interpreter_.RunOnCells(computation_, std::move(scalars)));
  Cells cells;
  for (const Array* leaf : Leaves(std::as_const(result))) cells.push_back(leaf->cells[0]);
  return cells;
}

absl::Status Combiner::Apply(const Cells& next, Cells* accumulator) const {
  if (direct_ != nullptr) {
    (*accumulator)[0] = Apply2(*direct_, types_[0], (*accumulator)[0], next[0]);
    return interpreter_.Spend(1);
  }
  Cells arguments = *accumulator;
  arguments.insert(arguments.end(), next.begin(), next.end());
  TESSERA_ASSIGN_OR_RETURN(*accumulator, Call(arguments));
  return absl::OkStatus();
}

absl::StatusOr<bool> Combiner::Test(const Cell& x, const Cell& y) const {
  TESSERA_ASSIGN_OR_RETURN(Cells result, Call({x, y}));
  return result[0].i != 0;
}

}  // namespace tessera::testing::evaluator
