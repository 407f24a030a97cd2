// Collectives on one device: in a group of one, and where each device sends to itself, nothing
// moves. The others have no meaning here.
#include "tessera/projection/signatures/collectives.h"

#include <algorithm>

#include "tessera/testing/evaluator/kernel.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

bool MovesNothing(const Op& op) {
  if (op.opcode() != Opcode::kCollectivePermute && op.opcode() != Opcode::kCollectivePermuteStart)
    return projection::GroupSize(op.module, op.id) == 1;
  const auto pairs = hlo::GetIntLists(op.module, op.id, AttributeName::kSourceTargetPairs);
  return pairs.has_value() && !pairs->empty() &&
         std::all_of(pairs->begin(), pairs->end(),
                     [](const IntList& pair) { return pair.size() == 2 && pair[0] == pair[1]; });
}

}  // namespace

// (operands, results, contexts), or the result alone.
absl::StatusOr<Value> CollectiveStart(const Op& op) {
  TESSERA_ASSIGN_OR_RETURN(Value moved, Collective(op));
  if (!op.shape().is_tuple() || op.opcode() == Opcode::kAllReduceStart) return moved;
  Value out = MakeValue(op.shape());
  out.elements[0] = out.elements[1] = std::move(moved);
  return out;
}

void MoveRaggedRows(const Array& in, int64_t from, int64_t count, int64_t to, Array* out) {
  const int64_t row = in.dims[0] == 0 ? 0 : in.size() / in.dims[0];
  Cell* cells = out->cells.Data();
  for (int64_t i = 0; i < count * row; ++i) {
    const int64_t source = from * row + i, target = to * row + i;
    if (source >= 0 && source < in.size() && target >= 0 && target < out->size())
      cells[target] = in.cells[source];
  }
}

// Operands: data, the array that receives it, and four lists. For each slice of the first dimension
// these are its start, its size, its start in the result, and the received size.
absl::StatusOr<Value> RaggedAllToAll(const Op& op) {
  if (!MovesNothing(op)) return absl::UnimplementedError("a collective of several devices");
  Array out = op.in(1);
  for (int64_t s = 0; s < op.in(2).size(); ++s)
    MoveRaggedRows(op.in(0), op.in(2).cells[s].i, op.in(3).cells[s].i, op.in(4).cells[s].i, &out);
  return out;
}

absl::StatusOr<Value> Collective(const Op& op) {
  if (!MovesNothing(op)) return absl::UnimplementedError("a collective of several devices");
  return op.num_operands() == 1 ? FirstOperand(op) : Tuple(op);
}

}  // namespace tessera::testing::evaluator
