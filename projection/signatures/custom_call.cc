// Custom calls. Those that this project knows have a rule by their target; the author of another
// can give one as text (einsum.h) in the frontend attribute `tessera.projection`. Any other needs
// its whole operands.
#include <algorithm>
#include <iterator>
#include <vector>

#include "tessera/projection/signature/einsum.h"
#include "tessera/projection/signatures/rules.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

// Selections of the k best: whole along the dimensions that shrink, or all of them when none does
// and the selected one cannot be told.
absl::Status SelectionRule(const OpContext& op, Signature* s) {
  for (int k = 0; k < op.num_operands(); ++k) {
    if (!op.OperandShape(k).is_array()) return OpaqueRule(op, s);
  }
  if (op.num_operands() == 0) return OpaqueRule(op, s);
  const layout::Shape& first = op.OperandShape(0);
  if (first.rank() != op.rank()) return OpaqueRule(op, s);
  std::vector<bool> selected(static_cast<size_t>(op.rank()));
  for (int d = 0; d < op.rank(); ++d) selected[d] = first.dim(d) != op.result[d];
  if (std::find(selected.begin(), selected.end(), true) == selected.end()) {
    selected.assign(selected.size(), true);
  }
  s->exactness = Exactness::kOpaque;
  s->note = "opaque along the selected dimension";
  for (int d = 0; d < op.rank(); ++d) {
    if (selected[d]) s->axes[d].kind = AxisKind::kOpaque;
  }
  for (int k = 0; k < op.num_operands(); ++k) {
    Rows rows = op.RowsOf(k);
    const bool like_first = op.OperandShape(k).dims() == first.dims();
    for (int d = 0; d < op.OperandShape(k).rank(); ++d) {
      like_first && !selected[d] ? rows.Follow(d, d) : rows.Whole(d);
    }
    TESSERA_RETURN_IF_ERROR(op.Read(k, rows, s));
  }
  return absl::OkStatus();
}

struct TargetRow {
  absl::string_view target;
  SignatureRule rule;
};
// Markers of sharding and placement leave cells where they are; selections mix the last dimension.
constexpr TargetRow kTargets[] = {
    {"Sharding", FirstOperandRule},
    {"SPMDFullToShardShape", OpaqueRule},
    {"SPMDShardToFullShape", OpaqueRule},
    {"annotate_device_placement", FirstOperandRule},
    {"MoveToDevice", FirstOperandRule},
    {"MoveToHost", FirstOperandRule},
    {"TopK", SelectionRule},
    {"ApproxTopK", SelectionRule},
    {"PartialReduce", SelectionRule},
    {"xla.sdy.FuncResultSharding", FirstOperandRule},
};

absl::Status FromText(const OpContext& op, const std::string& text, Signature* s) {
  std::vector<ZPoint> operands;
  for (const OperandAccess& operand : s->operands) operands.push_back(operand.shape);
  TESSERA_ASSIGN_OR_RETURN(Signature given, SignatureFromText(text, operands, {op.result}));
  s->operands = std::move(given.operands);
  return absl::OkStatus();
}

bool SameShape(const OpContext& op) {
  return op.num_operands() > 0 &&
         op.module.shape(op.operand(0)).dims() == op.module.shape(op.id).dims();
}

}  // namespace

absl::Status CustomCallRule(const OpContext& op, Signature* s) {
  const std::optional<std::string> text =
      hlo::GetFrontendAttribute(op.module, op.id, "tessera.projection");
  if (text.has_value()) return FromText(op, *text, s);
  const std::string target = hlo::GetCustomCallTarget(op.module, op.id);
  const auto row = std::find_if(std::begin(kTargets), std::end(kTargets),
                                [&](const TargetRow& r) { return r.target == target; });
  if (row != std::end(kTargets) && (row->rule != FirstOperandRule || SameShape(op)))
    return row->rule(op, s);
  TESSERA_RETURN_IF_ERROR(OpaqueRule(op, s));
  s->note = "no rule: whole operands";
  return absl::OkStatus();
}

}  // namespace tessera::projection
