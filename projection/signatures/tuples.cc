// Operations that only put values together or take them apart: an array of the result is an array
// of an operand.
#include "tessera/projection/signatures/rules.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

int NumLeaves(const OpContext& op, int k) {
  return static_cast<int>(ArrayLeaves(op.module.shape(op.operand(k))).size());
}

// The asked array is entry `entry` of the operands; what has no array, as an empty tuple, has none.
absl::Status ReadEntry(int entry, int index_rank, Signature* s) {
  if (entry >= static_cast<int>(s->operands.size())) return absl::OkStatus();
  OperandAccess& access = s->operands[static_cast<size_t>(entry)];
  Rows rows(access.shape, index_rank);
  for (int d = 0; d < access.shape.rank(); ++d) d < index_rank ? rows.Follow(d, d) : rows.Whole(d);
  TESSERA_ASSIGN_OR_RETURN(ZProjection p, rows.Build());
  access.maps.push_back(ProjectionAccess(std::move(p)));
  return absl::OkStatus();
}

// Arrays of all operands of the start that a done or an update belongs to.
int NumStartedOperands(const OpContext& op) {
  hlo::InstructionId start = op.operand(0);
  while (op.module.instruction(start).opcode == hlo::Opcode::kAsyncUpdate)
    start = op.module.operands(start)[0];
  int leaves = 0;
  for (hlo::InstructionId operand : op.module.operands(start)) {
    leaves += static_cast<int>(ArrayLeaves(op.module.shape(operand)).size());
  }
  return leaves;
}

// Whether the arrays `a` and `b` of two shapes have equal dimensions.
bool SameDims(const layout::Shape& a, const ZPoint& b) { return ZPoint(a.dims()) == b; }

}  // namespace

absl::Status TupleRule(const OpContext& op, Signature* s) {
  // Arrays of the result are the arrays of all operands, in order.
  return ReadEntry(op.options.leaf, op.rank(), s);
}

absl::Status GetTupleElementRule(const OpContext& op, Signature* s) {
  const layout::Shape& tuple = op.module.shape(op.operand(0));
  const auto index = static_cast<size_t>(hlo::GetTupleIndex(op.module, op.id));
  return ReadEntry(ArrayStarts(tuple)[index] + op.options.leaf, op.rank(), s);
}

absl::Status StartRule(const OpContext& op, Signature* s) {
  // (operands..., results..., context...): the first arrays are the operands themselves; the others
  // come from the operand with the same number, which a copy or a permute leaves as it is.
  int leaves = 0;
  for (int k = 0; k < op.num_operands(); ++k) leaves += NumLeaves(op, k);
  if (leaves == 0) return absl::OkStatus();
  const int entry = op.options.leaf % leaves;
  if (SameDims(*ArrayLeaves(op.module.shape(op.id))[static_cast<size_t>(op.options.leaf)],
               s->operands[static_cast<size_t>(entry)].shape)) {
    return ReadEntry(entry, op.rank(), s);
  }
  s->exactness = Exactness::kBound;
  s->note = "the context of a start: whole operands";
  for (int k = 0; k < op.num_operands(); ++k) TESSERA_RETURN_IF_ERROR(op.ReadWhole(k, s));
  return absl::OkStatus();
}

absl::Status DoneRule(const OpContext& op, Signature* s) {
  // A started operation is (operands..., results..., context...), or the results alone.
  const int results = static_cast<int>(ArrayLeaves(op.module.shape(op.id)).size());
  const int started = NumLeaves(op, 0), operands = NumStartedOperands(op);
  const bool has_operands = started >= operands + results;
  const bool copies_first =
      op.opcode() == hlo::Opcode::kCopyDone;  // (destination, source, context)
  return ReadEntry((has_operands && !copies_first ? operands : 0) + op.options.leaf, op.rank(), s);
}

}  // namespace tessera::projection
