#include "tessera/target/dataflow/apart_scores.h"

#include <algorithm>
#include <cstdint>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/dataflow/op_kinds.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

constexpr int kWayToProduct = 24;  // instructions from a window to the product
// That are joined with their exponentials where long rows are.
constexpr int64_t kManyQueries = 2048;

// Copies and converts, too.
InstructionId SkipViews(const hlo::Module& module, InstructionId id) {
  const auto is_skipped = [](Opcode op) {
    return KindOf(op) == OpKind::kView || op == Opcode::kCopy || op == Opcode::kConvert;
  };
  while (is_skipped(module.instruction(id).opcode)) id = module.operands(id)[0];
  return id;
}

// Of an elementwise operation the operand that is as large and no repeated array; kNoId for none.
InstructionId LargeOperand(const hlo::Module& module, InstructionId id) {
  for (const InstructionId operand : module.operands(id)) {
    const InstructionId source = SkipViews(module, operand);
    const hlo::Instruction& instruction = module.instruction(source);
    const bool is_large = module.shape(source).is_array() && module.shape(id).is_array() &&
                          module.shape(source).NumElements() == module.shape(id).NumElements();
    if (is_large && instruction.opcode != Opcode::kBroadcast &&
        module.shape(source).element_type() != layout::ElementType::kPred)
      return source;
  }
  return hlo::kNoId;
}

// The dot of which the rows are computed element by element; kNoId for none.
InstructionId ProductOf(const hlo::Module& module, InstructionId window) {
  InstructionId id = SkipViews(module, module.operands(window)[0]);
  for (int steps = 0; steps < kWayToProduct && id != hlo::kNoId; ++steps) {
    const Opcode op = module.instruction(id).opcode;
    if (op == Opcode::kDot) return id;
    if (KindOf(op) != OpKind::kElementwise) break;
    id = LargeOperand(module, id);
  }
  return hlo::kNoId;
}

// A product, with or without a bias.
bool IsProjection(const hlo::Module& module, InstructionId id) {
  id = SkipViews(module, id);
  if (module.instruction(id).opcode == Opcode::kAdd) id = LargeOperand(module, id);
  return id != hlo::kNoId && module.instruction(id).opcode == Opcode::kDot;
}

bool AreQueriesGrouped(const hlo::Module& module, InstructionId dot, bool joins_many) {
  const InstructionId queries = module.operands(dot)[1];
  const hlo::DotDimensions dims = hlo::GetDotDimensions(module, dot);
  int64_t free = 0, most = 0;
  const layout::Shape& array = module.shape(queries);
  for (int64_t d = 0; d < array.rank(); ++d) {
    if (array.dim(d) == 1 || absl::c_linear_search(dims.rhs_batch, d) ||
        absl::c_linear_search(dims.rhs_contracting, d))
      continue;
    ++free;
    most = std::max(most, array.dim(d));
  }
  if (free < 2 || dims.rhs_batch.empty() || (joins_many && most >= kManyQueries)) return false;
  return !IsProjection(module, queries);
}

}  // namespace

bool AreScoresApart(const hlo::Module& module, InstructionId window, bool joins_long_rows) {
  if (!IsRowWindow(module, window)) return false;
  if (!joins_long_rows && IsOfLongRows(module, window)) return true;
  const InstructionId dot = ProductOf(module, window);
  return dot != hlo::kNoId && AreQueriesGrouped(module, dot, joins_long_rows);
}

}  // namespace tessera::target
